/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include <string.h>

#include "base/wrap.h"

/* Column at which the explanations of options begin, and the width that the texts are made for. */
enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

const struct cli_option cli_common_options[] = {
	{ 'h', "help", NULL, "this text" },
	{ 'V', "version", NULL, "the version" },
	{ 0 },
};

void cli_help_print_lines(const char *lines, size_t column, struct out *out)
{
	struct text text = { 0 };
	bool flows = out->width < HELP_WIDTH;
	text_fill(&text, ' ', flows ? column : 0);

	for (const char *at = lines; *at != '\0'; at++) {
		if (*at == '\n' && flows)
			text_char(&text, ' ');
		else
			text_char(&text, *at);
		if (*at == '\n' && !flows)
			text_fill(&text, ' ', column);
	}

	text_char(&text, '\n');
	struct text wrapped = { 0 };
	wrap(&wrapped, text.bytes, text.length, out->width, column);
	out_bytes(out, wrapped.bytes + (flows ? column : 0), wrapped.length - (flows ? column : 0));
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
	out_text(out, &left);
	size_t column = left.length;
	text_deinit(&left);

	if (column > HELP_COLUMN - 2) {
		out_string(out, "\n");
		column = 0;
	}
	out_blanks(out, HELP_COLUMN - column);
	cli_help_print_lines(option->help, HELP_COLUMN, out);
}

static void print_options(const char *heading, const struct cli_option *options, struct out *out)
{
	out_format(out, "\n%s\n", heading);
	for (const struct cli_option *option = options; option->name; option++)
		print_option(option, out);
}

void cli_help_print(const struct cli_spec *spec, struct out *out)
{
	out_wrapped_format(out, 2, "Usage: procmem %s [OPTION]... %s\n\n", spec->command,
	                   spec->operands);
	cli_help_print_lines(spec->purpose, 0, out);

	for (const struct cli_group *group = spec->groups; group->options; group++)
		print_options(group->heading, group->options, out);

	for (const struct cli_option *option = cli_common_options; option->name; option++)
		print_option(option, out);

	if (*spec->notes) {
		out_string(out, "\n");
		cli_help_print_lines(spec->notes, 0, out);
	}

	out_string(out, "\nExamples:\n");
	for (size_t i = 0; i < 2; i++)
		out_wrapped_format(out, 6, "  %s\n      %s\n", spec->examples[i][0],
		                   spec->examples[i][1]);
}
