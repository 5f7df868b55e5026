/* SPDX-License-Identifier: MIT */
#include "grep/options.h"

#include <stddef.h>
#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "grep/patterns.h"
#include "target/target_list.h"

enum {
	OPTION_WIDE = CLI_LONG_ONLY,
	OPTION_HEX,
	OPTION_TIMEOUT,
	OPTION_BY,
	OPTION_UNIQUE,
	OPTION_JSON,
	OPTION_COLOUR,
	OPTION_INT,
	OPTION_FLOAT,
	OPTION_ALIGNED,
	OPTION_SAVE,
	OPTION_NEXT,
	OPTION_KEEP,
	OPTION_CSV,
};

static const struct cli_option pattern_option_list[] = {
	{ 'e', "regexp", "PATTERN", "search for this pattern; may be repeated" },
	{ 'f', "file", "FILE", "search for each line of FILE" },
	{ 'F', "fixed-strings", NULL, "patterns are plain text" },
	{ OPTION_HEX, "hex", NULL, "patterns are bytes in hexadecimal; ? is any digit" },
	{ 'i', "ignore-case", NULL, "ignore the case of letters" },
	{ 'u', "utf", NULL,
	  "patterns and memory are UTF-8: . matches one\n"
	  "character, and \\w includes all letters" },
	{ OPTION_WIDE, "wide", NULL, "also find the text in UTF-16, little and big endian" },
	{ 'M', "multiline", NULL,
	  "^ and $ match at the start and end of lines, not\n"
	  "only at the start and end of regions" },
	{ 0 },
};

/** Parses an option of the group that selects what to search for. */
static int parse_pattern(void *into, int id, const char *value, struct pm_error *error)
{
	struct grep_options *options = into;

	switch (id) {
	case 'e':
		grep_patterns_add(&options->patterns, value, strlen(value));
		return 0;
	case 'f':
		return grep_patterns_add_file(&options->patterns, value, error);

	case 'F':
		options->flags |= PM_PATTERN_FIXED;
		return 0;
	case 'i':
		options->flags |= PM_PATTERN_CASELESS;
		return 0;
	case 'u':
		options->flags |= PM_PATTERN_UTF;
		return 0;
	case 'M':
		options->flags |= PM_PATTERN_MULTILINE;
		return 0;
	case OPTION_WIDE:
		options->flags |= PM_PATTERN_WIDE;
		return 0;
	default:
		options->flags |= PM_PATTERN_HEX;
		return 0;
	}
}

static const struct cli_option number_option_list[] = {
	{ OPTION_INT, "int", "VALUE",
	  "search for an integer: VALUE or LOW..HIGH, with\n"
	  ":1, :2, :4 or :8 for its size in bytes; may be\nrepeated" },
	{ OPTION_FLOAT, "float", "VALUE",
	  "search for a floating-point number, with :4 or :8\n"
	  "for its size; without, for both sizes" },
	{ OPTION_ALIGNED, "aligned", NULL, "only numbers at multiples of their size" },
	{ OPTION_SAVE, "save", "FILE", "save the numbers that are found in a file" },
	{ OPTION_NEXT, "next", "FILE",
	  "read the numbers of FILE again instead of searching;\n"
	  "with --int or --float, keep those with this value" },
	{ OPTION_KEEP, "keep", "WHICH",
	  "with --next: keep only numbers that changed, are the\n"
	  "same, grew or shrank" },
	{ 0 },
};

/** Parses the argument of --keep. */
static int parse_keep(struct grep_options *options, const char *value, struct pm_error *error)
{
	static const char *const names[] = { [GREP_KEEP_CHANGED] = "changed",
		                             [GREP_KEEP_SAME] = "same",
		                             [GREP_KEEP_GREW] = "grew",
		                             [GREP_KEEP_SHRANK] = "shrank" };

	for (enum grep_keep keep = GREP_KEEP_CHANGED; keep <= GREP_KEEP_SHRANK; keep++)
		if (strcmp(value, names[keep]) == 0) {
			options->keep = keep;
			return 0;
		}
	return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' must be changed, same, grew or shrank",
	                    value);
}

/** Parses an option of the group that is about numbers. */
static int parse_number(void *into, int id, const char *value, struct pm_error *error)
{
	struct grep_options *options = into;

	switch (id) {
	case OPTION_INT:
	case OPTION_FLOAT:
		return grep_numbers_add(&options->numbers, value, id == OPTION_FLOAT, error);
	case OPTION_ALIGNED:
		options->numbers.aligned = true;
		return 0;
	case OPTION_SAVE:
		options->save = value;
		return 0;
	case OPTION_NEXT:
		options->next = value;
		return 0;
	default:
		return parse_keep(options, value, error);
	}
}

static const struct cli_option print_option_list[] = {
	{ 'o', "only-matching", NULL, "print only the matches, one per line" },
	{ 'b', "byte-offset", NULL,
	  "with -o: print the address before each match\n(without -o, it is always printed)" },
	{ 'c', "count", NULL,
	  "print only the number of matches in each region\n"
	  "that has matches" },
	{ OPTION_BY, "by", "WHAT", "with -c: print sums; WHAT must be 'kind'" },
	{ OPTION_UNIQUE, "unique", NULL, "print distinct matches, and how often each was found" },
	{ 'l', "regions-with-matches", NULL, "list the regions with matches, not the matches" },
	{ 'm', "max-count", "N", "stop after N matches in each process" },
	{ OPTION_TIMEOUT, "timeout", "TIME",
	  "end the search after this time (10s, 5m), with\nexit status 2" },
	{ 'A', "after-context", "N", "also print N bytes after each match, in hexadecimal" },
	{ 'B', "before-context", "N", "also print N bytes before each match" },
	{ 'C', "context", "N", "also print N bytes before and after each match" },
	{ OPTION_JSON, "json", NULL, "print one JSON object per match" },
	{ OPTION_CSV, "csv", NULL, "with -c: print comma-separated values" },
	{ OPTION_COLOUR, "color", "[WHEN]", "use colour: auto (on a terminal), always or never" },
	{ 'q', "quiet", NULL, "print nothing, exit at the first match" },
	{ 's', "no-messages", NULL, "no notes on stderr, only errors" },
	{ 'v', "verbose", NULL,
	  "report on stderr what was searched, and list all\n"
	  "memory that could not be read (unlike -v of grep(1),\n"
	  "this option does not invert the search)" },
	{ 0 },
};

static int parse_context(struct grep_options *options, int id, const char *value,
                         struct pm_error *error)
{
	uint64_t bytes;
	if (pm_parse_decimal(value, PM_SCAN_CONTEXT_MAX, &bytes, error) < 0)
		return -1;

	if (id != 'A')
		options->before = (size_t)bytes;
	if (id != 'B')
		options->after = (size_t)bytes;
	options->context = true;
	return 0;
}

/** Sets the flag of an output option that has no argument. */
static void set_print_flag(struct grep_options *options, int id)
{
	struct output_options *output = &options->search.output;

	switch (id) {
	case 'o':
		options->only_matching = true;
		break;
	case 'b':
		options->byte_offset = true;
		break;
	case 'c':
		options->count = true;
		break;
	case 'l':
		options->list = true;
		break;

	case OPTION_UNIQUE:
		options->unique = true;
		break;
	case OPTION_JSON:
		output->json = true;
		break;
	case OPTION_CSV:
		output->csv = true;
		break;
	case 'q':
		options->quiet = output->quiet = true;
		break;
	case 's':
		output->quiet = true;
		break;
	default:
		output->verbose = true;
	}
}

/** Parses the argument of --by. */
static int parse_by(struct grep_options *options, const char *value, struct pm_error *error)
{
	if (strcmp(value, "kind") != 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "cannot sum up by '%s': use kind",
		                    value);

	options->by_kind = true;
	return 0;
}

/** Parses an output option. */
static int parse_print(void *into, int id, const char *value, struct pm_error *error)
{
	struct grep_options *options = into;

	switch (id) {
	case 'm':
		return pm_parse_decimal(value, UINT64_MAX - 1, &options->max, error);
	case 'A':
	case 'B':
	case 'C':
		return parse_context(options, id, value, error);
	case OPTION_BY:
		return parse_by(options, value, error);
	case OPTION_TIMEOUT:
		return delta_parse_duration(value, &options->timeout, error);
	case OPTION_COLOUR:
		return options_parse_colour(value, &options->search.output.colour, error);
	default:
		set_print_flag(options, id);
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "What to search for:", pattern_option_list, parse_pattern, 0 },
	{ "Numbers:", number_option_list, parse_number, 0 },
	{ "Where:", target_list_family_options, target_list_parse_family,
	  offsetof(struct grep_options, which) },
	{ "How:", search_option_table, search_parse_option, offsetof(struct grep_options, search) },
	{ "Which chunks of malloc:", hit_chunk_option_table, hit_chunk_parse_option,
	  offsetof(struct grep_options, search.chunks) },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct grep_options, search.selection) },
	{ "Output:", print_option_list, parse_print, 0 },
	{ 0 },
};

static const char *const exclusive[] = {
	TARGET_LIST_EXCLUSIVE,
	"csv json",
	"only-matching after-context",
	"only-matching before-context",
	"only-matching context",
	"unique only-matching",
	"unique count",
	"unique regions-with-matches",
	"unique quiet",
	"unique after-context",
	"unique before-context",
	"unique context",
	"unique byte-offset",
	"chunks only-matching",
	"chunks count",
	"chunks unique",
	"chunks regions-with-matches",
	"chunks quiet",
	"hex fixed-strings",
	"hex ignore-case",
	"hex utf",
	"hex wide",
	"hex multiline",
	NULL,
};

/** Options of grep(1). */
static const struct cli_counterpart counterparts[] = {
	{ "P perl-regexp", "patterns are always Perl-compatible" },
	{ "E extended-regexp",
	  "patterns are always Perl-compatible, which includes extended ones" },
	{ "G basic-regexp", "patterns are always Perl-compatible; -F searches for plain text" },
	{ "a text I binary binary-files U", "memory is always searched as bytes" },
	{ "n line-number", "memory has no lines; each match has its address (with -o: -b)" },
	{ "w word-regexp", "write \\b on both sides of the pattern" },
	{ "x line-regexp", "use -M, and write ^ and $ around the pattern" },
	{ "y", "use -i" },
	{ "invert-match", "memory has no lines that could fail to match; use a negative "
	                  "look-ahead such as (?!...)" },
	{ "L files-without-match regions-without-match",
	  "-l lists the regions with matches, and 'procmem map' lists all" },
	{ "files-with-matches", "-l lists the regions with matches" },
	{ "r R recursive dereference-recursive",
	  "use --children for the descendants of a process" },
	{ "H with-filename", "with several processes, each line starts with the PID" },
	{ "no-filename", "use -o: it prints only the matches" },
	{ "z null-data Z null", "use --json for output that can be divided safely" },
	{ "T initial-tab", "use --json for columns" },
	{ "include exclude exclude-dir", "select regions with REGION, -k or --mapping" },
	{ "line-buffered", "matches are written within 0.1 s" },
	{ NULL, NULL },
};

const struct cli_spec grep_spec = {
	.command = "grep",
	.operands = "PATTERN TARGET [REGION]...",
	.purpose = "Searches memory for a Perl-compatible regular expression, and prints where\n"
	           "it matches and the text around it.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, several PIDs as 1234,1240, a process name that matches one\n"
	         "process, or an ELF core file. With -e, -f, --int, --float or --next, TARGET is\n"
	         "the first operand; --next does not need it.\n"
	         "Without REGION, all readable memory is searched. The exit status is 0 if there\n"
	         "is a match, 1 if there is none, 2 after an error or if matches can be missing,\n"
	         "because attempts to match were aborted or the time limit was reached.",
	.examples = {
		{ "procmem grep 'password=[!-~]+' java",
		  "passwords in the memory of the process called java" },
		{ "procmem grep --hex -C 32 'ca fe ba be 00 00 00 3?' 4711",
		  "headers of Java classes, with the bytes around them" },
	},
	.operands_min = 1,
	.operands_max = -1,
	.counterparts = counterparts,
	.instead_of_first = "regexp file int float next",
};

const char *grep_options_wrong(const struct grep_options *options)
{
	const struct grep_numbers *numbers = &options->numbers;
	bool chunks = hit_chunk_is_needed(&options->search.chunks);
	bool several = options->which != TARGET_LIST_ONE;

	if (options->by_kind && !options->count)
		return "'--by' needs '--count': only counts can be summed up";
	if (options->search.output.csv && (!options->count || options->next))
		return "'--csv' needs '--count': matches can be had with '--json'";
	if (options->keep != GREP_KEEP_ALL && !options->next)
		return "'--keep' needs '--next': it selects from saved numbers";
	if (numbers->aligned && (numbers->count == 0 || options->next))
		return "'--aligned' belongs to a search with '--int' or '--float'";
	if (options->save && numbers->count == 0 && !options->next)
		return "'--save' saves numbers: it needs '--int', '--float' or '--next'";
	if (numbers->count == 0 && !options->next)
		return NULL;

	if (options->patterns.given || options->flags != 0 || options->unique)
		return "numbers cannot be combined with patterns and their options (-e, -f, -F, "
		       "--hex, -i, -u, --wide, -M, --unique)";
	if (options->next && options->count && options->search.output.json)
		return "with '--next', '--count' prints a number, not JSON";
	if (options->save && (options->only_matching || options->count || options->list ||
	                      options->context || options->search.output.json || chunks || several))
		return "'--save' searches one process and prints only the number of saved "
		       "ones: 'grep --next FILE' prints them, with --json if needed";
	if (options->next && (options->only_matching || options->list || options->by_kind ||
	                      options->context || options->timeout > 0 || chunks || several))
		return "'--next' prints numbers of one process: -o, -l, --by, -A, -B, -C, "
		       "--timeout, options on chunks and options for several processes do not "
		       "apply";
	return NULL;
}

enum grep_options_form grep_options_form(const struct grep_options *options)
{
	if (options->save)
		return GREP_SAVED;
	if (options->quiet)
		return GREP_NOTHING;
	if (options->list)
		return GREP_REGIONS;
	if (options->count)
		return GREP_COUNTS;
	if (options->unique)
		return GREP_UNIQUE;
	if (options->only_matching)
		return GREP_MATCHES;

	if (options->context && !options->search.output.json)
		return GREP_BLOCKS;

	return GREP_LINES;
}
