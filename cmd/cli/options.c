/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <string.h>

#include <procmem/number.h>

enum { OPTION_CSV = CLI_LONG_ONLY, OPTION_NO_HEADER };

const struct cli_option options_of_lists[] = {
	{ 's', "sort", "COLUMN",
	  "sort by this column: the largest sizes and\n"
	  "counts first, other values in ascending order" },
	{ 'r', "reverse", NULL, "reverse the order" },
	{ 'n', "top", "N", "show only the first N; a line sums up the rest" },
	{ 'o', "columns", "LIST",
	  "show these columns, separated by commas;\n"
	  "+LIST adds columns to the default ones\n"
	  "('-o help' lists all columns)" },
	{ OPTION_CSV, "csv", NULL, "print comma-separated values, sizes in bytes" },
	{ OPTION_NO_HEADER, "no-header", NULL,
	  "print only rows: no heading, column titles or totals" },
	{ 0 },
};

int options_parse_list(void *into, int id, const char *value, struct pm_error *error)
{
	struct list_options *options = into;

	switch (id) {
	case 's':
		options->sort = value;
		return 0;
	case 'r':
		options->reverse = true;
		return 0;
	case 'n':
		options->top_given = true;
		return pm_parse_decimal(value, UINT64_MAX, &options->top, error);
	case 'o':
		options->columns = value;
		return 0;
	case OPTION_CSV:
		options->csv = true;
		return 0;
	default:
		options->no_header = true;
		return 0;
	}
}

bool options_want_help(const struct list_options *options)
{
	return options->columns && strcmp(options->columns, "help") == 0;
}

enum { OPTION_JSON = CLI_LONG_ONLY, OPTION_COLOUR };

const struct cli_option options_of_output[] = {
	{ OPTION_JSON, "json", NULL, "print one JSON object, sizes in bytes" },
	{ 'b', "bytes", NULL, "print sizes in bytes instead of K, M, G" },
	{ OPTION_COLOUR, "color", "[WHEN]", "use colour: auto (on a terminal), always or never" },
	{ 'q', "quiet", NULL, "no notes on stderr, only errors" },
	{ 'v', "verbose", NULL, "report details on stderr, such as what was read" },
	{ 0 },
};

int options_parse_colour(const char *when, enum out_colour *colour, struct pm_error *error)
{
	if (!when || strcmp(when, "always") == 0)
		*colour = OUT_COLOUR_ALWAYS;
	else if (strcmp(when, "auto") == 0)
		*colour = OUT_COLOUR_AUTO;
	else if (strcmp(when, "never") == 0)
		*colour = OUT_COLOUR_NEVER;
	else
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' must be auto, always or never",
		                    when);

	return 0;
}

int options_parse_output(void *into, int id, const char *value, struct pm_error *error)
{
	struct output_options *options = into;

	switch (id) {
	case OPTION_JSON:
		options->json = true;
		return 0;
	case 'b':
		options->bytes = true;
		return 0;
	case OPTION_COLOUR:
		return options_parse_colour(value, &options->colour, error);
	case 'q':
		options->quiet = true;
		return 0;
	default:
		options->verbose = true;
		return 0;
	}
}

int options_parse_recording(const char *value, const char **file, struct pm_error *error)
{
	if (*value == '\0')
		return pm_error_set(error, PM_ERROR_USAGE, 0, "the name of the file is empty");
	if (strcmp(value, "-") == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a recording is a database and cannot be written to a pipe: "
		                    "name a file");

	*file = value;
	return 0;
}
