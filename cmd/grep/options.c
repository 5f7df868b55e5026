/* SPDX-License-Identifier: MIT */
#include "grep/options.h"

#include <stddef.h>
#include <string.h>

#include <procmem/number.h>

#include "grep/patterns.h"

enum { OPTION_WIDE = CLI_LONG_ONLY, OPTION_HEX };

static const struct cli_option pattern_option_list[] = {
	{ 'e', "regexp", "PATTERN", "search for this; several may be given" },
	{ 'f', "file", "FILE", "search for each line of FILE" },
	{ 'F', "fixed-strings", NULL, "patterns are plain text" },
	{ OPTION_HEX, "hex", NULL, "patterns are bytes in hexadecimal, ? is any digit" },
	{ 'i', "ignore-case", NULL, "upper and lower case are the same" },
	{ 'u', "utf", NULL,
	  "patterns and memory are UTF-8: . is a character,\nand \\w knows all letters" },
	{ OPTION_WIDE, "wide", NULL, "text as UTF-16 too, little- and big-endian" },
	{ 'M', "multiline", NULL, "^ and $ are begins and ends of lines; without it,\nof regions" },
	{ 0 },
};

static int take_pattern(void *into, int id, const char *value, struct pm_error *error)
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

enum { OPTION_JSON = CLI_LONG_ONLY, OPTION_COLOUR };

static const struct cli_option print_option_list[] = {
	{ 'o', "only-matching", NULL, "nothing but the matches, one a line" },
	{ 'b', "byte-offset", NULL, "with -o: the address before each" },
	{ 'c', "count", NULL, "how many in each region that has any" },
	{ 'l', "regions-with-matches", NULL, "the regions that have any" },
	{ 'm', "max-count", "N", "stop after N matches" },
	{ 'A', "after-context", "N", "also N bytes behind each, in hexadecimal" },
	{ 'B', "before-context", "N", "also N bytes before each" },
	{ 'C', "context", "N", "both" },
	{ OPTION_JSON, "json", NULL, "a JSON object for each" },
	{ OPTION_COLOUR, "color", "[WHEN]", "auto (on a terminal), always or never" },
	{ 'q', "quiet", NULL, "print nothing, end at the first match" },
	{ 's', "no-messages", NULL, "no remarks on stderr, only errors" },
	{ 'v', "verbose", NULL,
	  "list on stderr what could not be read, and tell\nwhat was; it does not invert" },
	{ 0 },
};

static int take_context(struct grep_options *options, int id, const char *value,
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

static int take_print(void *into, int id, const char *value, struct pm_error *error)
{
	struct grep_options *options = into;
	switch (id) {
	case 'o':
		options->only_matching = true;
		return 0;
	case 'b':
		options->byte_offset = true;
		return 0;
	case 'c':
		options->count = true;
		return 0;
	case 'l':
		options->list = true;
		return 0;
	case 'm':
		return pm_parse_decimal(value, UINT64_MAX - 1, &options->most, error);
	case 'A':
	case 'B':
	case 'C':
		return take_context(options, id, value, error);
	case OPTION_JSON:
		options->search.output.json = true;
		return 0;
	case OPTION_COLOUR:
		return options_parse_colour(value, &options->search.output.colour, error);
	case 'q':
		options->quiet = options->search.output.quiet = true;
		return 0;
	case 's':
		options->search.output.quiet = true;
		return 0;
	default:
		options->search.output.verbose = true;
		return 0;
	}
}

enum { OPTION_ALL_PROCESSES = CLI_LONG_ONLY };

static const struct cli_option target_option_list[] = {
	{ OPTION_ALL_PROCESSES, "all-processes", NULL,
	  "if TARGET is a name: all processes of that name" },
	{ 0 },
};

static int take_target(void *into, int id, const char *value, struct pm_error *error)
{
	struct grep_options *options = into;
	(void)id;
	(void)value;
	(void)error;
	options->all_processes = true;
	return 0;
}

static const struct cli_group groups[] = {
	{ "What to search for:", pattern_option_list, take_pattern, 0 },
	{ "Where:", target_option_list, take_target, 0 },
	{ "How:", search_option_table, search_parse_option, offsetof(struct grep_options, search) },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct grep_options, search.selection) },
	{ "Output:", print_option_list, take_print, 0 },
	{ 0 },
};

static const char *const exclusive[] = {
	"hex fixed-strings", "hex ignore-case", "hex utf", "hex wide", "hex multiline", NULL,
};

const struct cli_spec grep_spec = {
	.command = "grep",
	.operands = "PATTERN TARGET [REGION]...",
	.purpose = "Searches memory for a Perl-compatible regular expression: where it is, and what\nstands around it.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, several PIDs as 1234,1240, a process name that fits one\n"
	         "process, or an ELF core file. With -e or -f there is no PATTERN word. Without\n"
	         "REGION all readable memory is searched. The exit status is 0 if there is a\n"
	         "match, 1 if there is none, 2 after an error.",
	.examples = {
		{ "procmem grep 'password=[!-~]+' java", "passwords in the memory of the process called java" },
		{ "procmem grep --hex -C 32 'ca fe ba be 00 00 00 3?' 4711", "headers of Java classes, with the bytes around them" },
	},
	.operands_min = 1,
	.operands_max = -1,
	.instead_of_first = "regexp file",
};

enum grep_options_form grep_options_form(const struct grep_options *options)
{
	if (options->quiet)
		return GREP_NOTHING;
	if (options->list)
		return GREP_REGIONS;
	if (options->count)
		return GREP_COUNTS;
	if (options->only_matching)
		return GREP_MATCHES;

	return options->context && !options->search.output.json ? GREP_BLOCKS : GREP_LINES;
}
