/* SPDX-License-Identifier: MIT */
#include "strings/options.h"
#include "strings/strings.h"

#include <stddef.h>
#include <string.h>

#include <procmem/number.h>

enum {
	OPTION_OFFSET = CLI_LONG_ONLY,
	OPTION_SIMILAR,
	OPTION_TOP,
	OPTION_BUDGET,
	OPTION_RAW,
	OPTION_JSON,
	OPTION_COLOUR
};

static const struct cli_option strings_option_list[] = {
	{ 'n', "bytes", "MIN", "only strings of at least MIN characters: 4, and 6\nfor UTF-16" },
	{ 'e', "encoding", "LIST",
	  "in these encodings: u UTF-8 (usual; it contains\nASCII), s ASCII, S 8 bits, l and b "
	  "UTF-16 little and\n"
	  "big endian, L and B UTF-32; all: u,l,b" },
	{ 'w', "include-all-whitespace", NULL,
	  "newline, carriage return, vertical tab and form feed\nbelong to strings" },
	{ 'u', "unique", NULL, "each different string once, the most frequent first" },
	{ OPTION_SIMILAR, "similar", NULL,
	  "with -u: those that differ only in numbers as one,\n"
	  "with # for each number" },
	{ OPTION_TOP, "top", "N", "of these only the first N; 0 for all" },
	{ OPTION_BUDGET, "budget", "SIZE",
	  "count them in this much memory (256M); when it is\nfull, the rarest are dropped" },
	{ 0 },
};

static const struct cli_option form_option_list[] = {
	{ 't', "radix", "RADIX",
	  "addresses in hexadecimal (x), decimal (d) or\noctal (o); n for none" },
	{ OPTION_OFFSET, "offset", NULL,
	  "start of the region + offset in it instead of\naddresses" },
	{ OPTION_RAW, "raw", NULL, "characters as they are, not to a terminal" },
	{ OPTION_JSON, "json", NULL, "a JSON object for each string" },
	{ OPTION_COLOUR, "color", "[WHEN]", "auto (on a terminal), always or never" },
	{ 'q', "quiet", NULL, "no remarks on stderr, only errors" },
	{ 'v', "verbose", NULL,
	  "tell on stderr what was searched, and list all that\ncould not be read" },
	{ 0 },
};

/** The letters of strings(1), and u. */
static const char letters[PM_ENCODING_COUNT] = {
	[PM_ENCODING_ASCII] = 's',   [PM_ENCODING_UTF8] = 'u',    [PM_ENCODING_8BIT] = 'S',
	[PM_ENCODING_UTF16LE] = 'l', [PM_ENCODING_UTF16BE] = 'b', [PM_ENCODING_UTF32LE] = 'L',
	[PM_ENCODING_UTF32BE] = 'B',
};

char strings_options_letter(enum pm_encoding encoding)
{
	return letters[encoding];
}

/**
 * Adds one item of the list.
 * @return 0 or -1
 */
static int add_encoding(struct strings_options *options, const char *item, size_t length,
                        struct pm_error *error)
{
	if (length == 3 && memcmp(item, "all", 3) == 0) {
		options->encodings |= PM_ENCODING_BIT(PM_ENCODING_UTF8) |
		                      PM_ENCODING_BIT(PM_ENCODING_UTF16LE) |
		                      PM_ENCODING_BIT(PM_ENCODING_UTF16BE);
		return 0;
	}

	const char *letter = length == 1 ? memchr(letters, *item, sizeof letters) : NULL;
	if (!letter)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.*s' is none of u, s, S, l, b, L, B and all", (int)length,
		                    item);

	options->encodings |= PM_ENCODING_BIT(letter - letters);
	return 0;
}

static int take_encodings(struct strings_options *options, const char *list, struct pm_error *error)
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
	return options->min_length > 0 ? 0
	                               : pm_error_set(error, PM_ERROR_USAGE, 0,
	                                              "a string has at least 1 character");
}

static int take_radix(struct strings_options *options, const char *value, struct pm_error *error)
{
	if (strlen(value) != 1 || !strchr("xdon", *value))
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"'%s' is none of x (hexadecimal), d (decimal), o (octal) and n (none)",
			value);

	options->radix = *value;
	return 0;
}

static int take_budget(struct strings_options *options, const char *value, struct pm_error *error)
{
	if (pm_parse_size(value, &options->budget, error) < 0)
		return -1;
	if (options->budget < PM_TALLY_BUDGET_MIN || options->budget > PM_TALLY_BUDGET_MAX)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "it must be from 64K to 32G");
	return 0;
}

static int take(void *into, int id, const char *value, struct pm_error *error)
{
	struct strings_options *options = into;
	switch (id) {
	case 'n':
		return parse_min_length(options, value, error);
	case 'e':
		return take_encodings(options, value, error);
	case 'w':
		options->white_space = true;
		return 0;
	case 'u':
		options->unique = true;
		return 0;
	case OPTION_SIMILAR:
		options->similar = true;
		return 0;
	case OPTION_TOP:
		options->top_given = true;
		return pm_parse_decimal(value, UINT64_MAX, &options->top, error);
	default:
		return take_budget(options, value, error);
	}
}

static int take_form(void *into, int id, const char *value, struct pm_error *error)
{
	struct strings_options *options = into;
	struct output_options *output = &options->search.output;

	switch (id) {
	case 't':
		return take_radix(options, value, error);
	case OPTION_OFFSET:
		options->offset = true;
		return 0;
	case OPTION_RAW:
		options->raw = true;
		return 0;
	case OPTION_JSON:
		output->json = true;
		return 0;
	case OPTION_COLOUR:
		return options_parse_colour(value, &output->colour, error);
	case 'q':
		output->quiet = true;
		return 0;
	default:
		output->verbose = true;
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "Which strings:", strings_option_list, take, 0 },
	{ "How to search:", search_option_table, search_parse_option,
	  offsetof(struct strings_options, search) },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct strings_options, search.selection) },
	{ "Output:", form_option_list, take_form, 0 },
	{ 0 },
};

static const char *const exclusive[] = { "json raw",     "json radix",    "json offset",
	                                 "unique radix", "unique offset", NULL };

const struct cli_spec strings_spec = {
	.command = "strings",
	.operands = "TARGET [REGION]...",
	.purpose = "Prints the text in the memory of a process, each string with its address.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, a process name that fits one process, or an ELF core file.\n"
	         "REGION is an address (the region around it), ADDR-END, ADDR+LEN, a kind, [name]\n"
	         "or 'all'; without one all that can be read. The process runs on: '~' marks\n"
	         "strings that it had changed when they were looked at again.",
	.examples = {
		{ "procmem strings -u --similar --top 20 java malloc", "what the blocks of malloc are full of" },
		{ "procmem strings -n 8 4711 | grep -i token", "long strings with a word in them" },
	},
	.operands_min = 1,
	.operands_max = -1,
};

bool strings_options_check(const struct strings_options *options, const struct out *out)
{
	const char *wrong = NULL;
	if (!options->unique && options->top_given)
		wrong = "--top is for -u: without it strings come in the order of their addresses";
	else if (!options->unique && options->similar)
		wrong = "--similar is for -u: without it each string is printed";
	else if (!options->unique && options->budget > 0)
		wrong = "--budget is for -u: nothing else needs memory";
	else if (options->offset && options->radix == 'n')
		wrong = "--offset and -t n exclude each other";
	else if (options->raw && out->terminal)
		wrong = "--raw would let the strings control the terminal: send it to a file or "
			"pipe";

	if (wrong)
		report_error("strings: %s", wrong);

	return !wrong;
}
