/* SPDX-License-Identifier: MIT */
#include "heap/options.h"

#include <stddef.h>

enum { OPTION_STOP = CLI_LONG_ONLY };

static const struct cli_option show_options[] = {
	{ 'a', "all", NULL, "show all arenas, not only the ten largest" },
	{ 0 },
};

static const struct cli_option walk_options[] = {
	{ OPTION_STOP, "stop", NULL,
	  "stop the process while its heap is read; the figures\nare then exact" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct heap_options *options = into;

	(void)value;
	(void)error;
	if (id == 'a')
		options->list.all = true;
	else
		options->stop = true;

	return 0;
}

const struct cli_group heap_options_groups[] = {
	{ "What to show:", show_options, parse_option, 0 },
	{ "How to read:", walk_options, parse_option, 0 },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct heap_options, output) },
	{ 0 },
};

const char *const heap_options_exclusive[] = { NULL };
