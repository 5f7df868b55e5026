/* SPDX-License-Identifier: MIT */
#include "strings/options.h"

#include <stddef.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/tally.h>

#include "base/delta.h"
#include "base/report.h"
#include "target/target_list.h"

enum {
	OPTION_OFFSET = CLI_LONG_ONLY,
	OPTION_SIMILAR,
	OPTION_SORT,
	OPTION_TOP,
	OPTION_BUDGET,
	OPTION_RAW,
	OPTION_JSON,
	OPTION_COLOUR,
	OPTION_CSV,
	OPTION_GROWTH
};

static const struct cli_option strings_option_list[] = {
	{ 'a', "all", NULL,
	  "accepted as in strings(1), without effect: all\n"
	  "memory is searched, unless REGION is given" },
	{ 'n', "bytes", "MIN",
	  "only strings of at least MIN characters (default: 4,\n"
	  "but 6 in UTF-16)" },
	{ 'e', "encoding", "LIST",
	  "only strings in these encodings: u (UTF-8, default),\n"
	  "s (ASCII), S (8-bit), l (UTF-16LE), b (UTF-16BE),\n"
	  "L (UTF-32LE), B (UTF-32BE), all (the same as u,l,b)" },
	{ 'w', "include-all-whitespace", NULL,
	  "newline, carriage return, vertical tab and form feed\n"
	  "do not end a string" },
	{ 'u', "unique", NULL,
	  "print each distinct string once, sorted by the total\n"
	  "size of its occurrences (see --sort)" },
	{ OPTION_SIMILAR, "similar", NULL,
	  "with -u: count strings together if they differ only\n"
	  "in numbers (shown as #) or in the length of a long\n"
	  "run of one character; a second line shows one of\n"
	  "these strings and, if known, its format string" },
	{ OPTION_GROWTH, "growth", "DURATION",
	  "with -u: count twice, this time apart (30s, 5m), and\n"
	  "print the strings of which there are more bytes then" },
	{ OPTION_SORT, "sort", "KEY", "with -u: sort by bytes (default), count or length" },
	{ OPTION_TOP, "top", "N", "with -u: print only the first N strings (0: all)" },
	{ OPTION_BUDGET, "budget", "SIZE",
	  "with -u: memory for counting, default 256M; when it\n"
	  "is full, the rarest strings are dropped" },
	{ 0 },
};

static const struct cli_option form_option_list[] = {
	{ 't', "radix", "RADIX",
	  "print addresses in hexadecimal (x), decimal (d) or\n"
	  "octal (o), or no addresses (n)" },
	{ OPTION_OFFSET, "offset", NULL, "print REGION_START+OFFSET instead of addresses" },
	{ OPTION_RAW, "raw", NULL, "print characters unchanged; refused on a terminal" },
	{ OPTION_JSON, "json", NULL, "print one JSON object per string" },
	{ OPTION_CSV, "csv", NULL, "with -u: print comma-separated values" },
	{ OPTION_COLOUR, "color", "[WHEN]", "use colour: auto (on a terminal), always or never" },
	{ 'q', "quiet", NULL, "no notes on stderr, only errors" },
	{ 'v', "verbose", NULL,
	  "report on stderr what was searched, and list all\nmemory that could not be read" },
	{ 0 },
};

/** The letter of each encoding for -e. The letters are those of strings(1), except u for UTF-8. */
static const char letters[PM_ENCODING_COUNT] = {
	[PM_ENCODING_ASCII] = 's',   [PM_ENCODING_UTF8] = 'u',    [PM_ENCODING_8BIT] = 'S',
	[PM_ENCODING_UTF16LE] = 'l', [PM_ENCODING_UTF16BE] = 'b', [PM_ENCODING_UTF32LE] = 'L',
	[PM_ENCODING_UTF32BE] = 'B',
};

char strings_options_letter(enum pm_encoding encoding)
{
	return letters[encoding];
}

/** Adds one item of the argument of -e. */
static int add_encoding(struct strings_options *options, const char *item, size_t length,
                        struct pm_error *error)
{
	if (length == 3 && memcmp(item, "all", 3) == 0) {
		options->encodings |= PM_ENCODING_BIT(PM_ENCODING_UTF8) |
		                      PM_ENCODING_BIT(PM_ENCODING_UTF16LE) |
		                      PM_ENCODING_BIT(PM_ENCODING_UTF16BE);
		return 0;
	}

	const char *letter = NULL;
	if (length == 1)
		letter = memchr(letters, *item, sizeof letters);
	if (!letter)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.*s' is not an encoding: use u, s, S, l, b, L, B or all",
		                    (int)length, item);

	options->encodings |= PM_ENCODING_BIT(letter - letters);
	return 0;
}

static int parse_encodings(struct strings_options *options, const char *list,
                           struct pm_error *error)
{
	for (;;) {
		size_t length = strcspn(list, ",");
		if (add_encoding(options, list, length, error) < 0)
			return -1;

		if (list[length] == '\0')
			return 0;
		list += length + 1;
	}
}

static int parse_min_length(struct strings_options *options, const char *value,
                            struct pm_error *error)
{
	if (pm_parse_decimal(value, UINT32_MAX, &options->min_length, error) < 0)
		return -1;
	if (options->min_length == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "must be at least 1");

	return 0;
}

static int parse_radix(struct strings_options *options, const char *value, struct pm_error *error)
{
	if (strlen(value) != 1 || !strchr("xdon", *value))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is not a radix: use x (hexadecimal), d (decimal), o "
		                    "(octal) or n (no addresses)",
		                    value);

	options->radix = *value;
	return 0;
}

static int parse_sort(struct strings_options *options, const char *value, struct pm_error *error)
{
	static const char *const names[] = { [PM_TALLY_BY_COUNT] = "count",
		                             [PM_TALLY_BY_BYTES] = "bytes",
		                             [PM_TALLY_BY_LENGTH] = "length" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(value, names[i]) == 0) {
			options->order = (enum pm_tally_order)i;
			options->sort_given = true;
			return 0;
		}
	}
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "'%s' is not a key: use bytes, count or length", value);
}

static int parse_budget(struct strings_options *options, const char *value, struct pm_error *error)
{
	if (pm_parse_size(value, &options->budget, error) < 0)
		return -1;
	if (options->budget < PM_TALLY_BUDGET_MIN || options->budget > PM_TALLY_BUDGET_MAX)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "must be from 64K to 32G");

	return 0;
}

/** Parses an option that selects strings. */
static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct strings_options *options = into;

	switch (id) {
	case 'n':
		return parse_min_length(options, value, error);
	case 'e':
		return parse_encodings(options, value, error);
	case OPTION_SORT:
		return parse_sort(options, value, error);
	case OPTION_TOP:
		options->top_given = true;
		return pm_parse_decimal(value, UINT64_MAX, &options->top, error);
	case OPTION_BUDGET:
		return parse_budget(options, value, error);
	case OPTION_GROWTH:
		return delta_parse_duration(value, &options->growth, error);

	case 'w':
		options->white_space = true;
		return 0;
	case 'u':
		options->unique = true;
		return 0;
	case 'a':
		return 0;
	default:
		options->similar = true;
		return 0;
	}
}

/** Parses an option for the form of the output. */
static int parse_form(void *into, int id, const char *value, struct pm_error *error)
{
	struct strings_options *options = into;
	struct output_options *output = &options->search.output;

	switch (id) {
	case 't':
		return parse_radix(options, value, error);
	case OPTION_COLOUR:
		return options_parse_colour(value, &output->colour, error);

	case OPTION_OFFSET:
		options->offset = true;
		return 0;
	case OPTION_RAW:
		options->raw = true;
		return 0;
	case OPTION_JSON:
		output->json = true;
		return 0;
	case OPTION_CSV:
		output->csv = true;
		return 0;
	case 'q':
		output->quiet = true;
		return 0;
	default:
		output->verbose = true;
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "Which strings:", strings_option_list, parse_option, 0 },
	{ "Where:", target_list_family_options, target_list_parse_family,
	  offsetof(struct strings_options, which) },
	{ "How to search:", search_option_table, search_parse_option,
	  offsetof(struct strings_options, search) },
	{ "Which chunks of malloc:", hit_chunk_option_table, hit_chunk_parse_option,
	  offsetof(struct strings_options, search.chunks) },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct strings_options, search.selection) },
	{ "Output:", form_option_list, parse_form, 0 },
	{ 0 },
};

static const char *const exclusive[] = {
	"csv json raw",        "growth sort: the strings are sorted by growth",
	"growth raw",          "json radix",
	"json offset",         "unique radix",
	"unique offset",       "chunks unique",
	TARGET_LIST_EXCLUSIVE, NULL
};

const struct cli_spec strings_spec = {
	.command = "strings",
	.operands = "TARGET [REGION]...",
	.purpose = "Prints the text in the memory of a process, each string with its address.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, several PIDs separated by commas, a process name that matches\n"
	         "one process, or an ELF core file.\n"
	         "REGION is an address (the region that contains it), ADDR-END, ADDR+LEN, a kind,\n"
	         "[name] or 'all'. Without REGION, all readable memory is searched. The process\n"
	         "is not stopped: '~' marks strings that changed before they were printed.",
	.examples = {
		{ "procmem strings -u --similar --top 20 java malloc",
		  "which strings fill the malloc regions" },
		{ "procmem strings -n 8 4711 | grep -i token", "long strings that contain a word" },
	},
	.operands_min = 1,
	.operands_max = -1,
};

bool strings_options_check(const struct strings_options *options, const struct out *out)
{
	const char *wrong = NULL;

	if (!options->unique && options->top_given)
		wrong = "--top requires -u: without -u, strings are sorted by address";
	else if (!options->unique && options->sort_given)
		wrong = "--sort requires -u: without -u, strings are sorted by address";
	else if (!options->unique && options->similar)
		wrong = "--similar requires -u: without -u, strings are not counted";
	else if (!options->unique && options->growth > 0)
		wrong = "--growth requires -u: without -u, strings are not counted";
	else if (!options->unique && options->budget > 0)
		wrong = "--budget requires -u: without -u, strings are not counted";
	else if (!options->unique && options->search.output.csv)
		wrong = "--csv requires -u: strings with their addresses can be had with --json";
	else if (options->offset && options->radix == 'n')
		wrong = "--offset and -t n cannot be combined";
	else if (options->raw && out->terminal)
		wrong = "--raw is refused on a terminal, because strings could control it: "
			"redirect the output to a file or a pipe";

	if (wrong)
		report_error("strings: %s", wrong);
	return !wrong;
}
