/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include <string.h>

#include "base/wrap.h"

/* Column at which the descriptions of options start, and the width of the terminal, in columns, for
 * which the descriptions are written. */
enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

const struct cli_option cli_help_options[] = {
	{ 'h', "help", NULL, "print this help" },
	{ 'V', "version", NULL, "print the version" },
	{ 0 },
};

void cli_help_print_lines(const char *lines, size_t column, struct out *out)
{
	struct text text = { 0 }, wrapped = { 0 };
	bool refill = out->width < HELP_WIDTH;

	/* wrap() measures whole lines, so `text` must begin with the indentation of the first line.
	 * This indentation is not printed, because the cursor is already at that column. */
	size_t skipped = refill ? column : 0;

	text_fill(&text, ' ', skipped);
	for (const char *at = lines; *at != '\0'; at++) {
		if (*at == '\n' && refill) {
			text_char(&text, ' ');
		} else {
			text_char(&text, *at);
			if (*at == '\n')
				text_fill(&text, ' ', column);
		}
	}
	text_char(&text, '\n');

	wrap(&wrapped, text.bytes, text.length, out->width, column);
	out_bytes(out, wrapped.bytes + skipped, wrapped.length - skipped);
	text_deinit(&wrapped);
	text_deinit(&text);
}

static void print_option(const struct cli_option *option, struct out *out)
{
	struct text left = { 0 };

	text_format(&left, option->id < CLI_LONG_ONLY ? "  -%c, " : "      ", option->id);
	text_format(&left, "--%s", option->name);
	if (option->argument && option->argument[0] == '[')
		text_format(&left, "[=%s", option->argument + 1);
	else if (option->argument)
		text_format(&left, " %s", option->argument);

	size_t column = left.length;

	out_text(out, &left);
	text_deinit(&left);

	if (column > HELP_COLUMN - 2) {
		out_string(out, "\n");
		column = 0;
	}
	out_blanks(out, HELP_COLUMN - column);
	cli_help_print_lines(option->help, HELP_COLUMN, out);
}

static void print_options(const struct cli_option *options, struct out *out)
{
	for (const struct cli_option *option = options; option->name; option++)
		print_option(option, out);
}

void cli_help_print(const struct cli_spec *spec, struct out *out)
{
	out_wrapped_format(out, 2, "Usage: procmem %s [OPTION]... %s\n\n", spec->command,
	                   spec->operands);
	cli_help_print_lines(spec->purpose, 0, out);

	for (const struct cli_group *group = spec->groups; group->options; group++) {
		out_format(out, "\n%s\n", group->heading);
		print_options(group->options, out);
	}
	print_options(cli_help_options, out);

	if (*spec->notes) {
		out_string(out, "\n");
		cli_help_print_lines(spec->notes, 0, out);
	}

	out_string(out, "\nExamples:\n");
	for (size_t i = 0; i < 2; i++)
		out_wrapped_format(out, 6, "  %s\n      %s\n", spec->examples[i][0],
		                   spec->examples[i][1]);
}
