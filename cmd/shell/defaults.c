/* SPDX-License-Identifier: MIT */
#include "shell/defaults.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/report.h"
#include "commands.h"

static size_t command_count(void)
{
	size_t count = 0;
	while (commands[count].name)
		count++;
	return count;
}

/** Returns the options of a command. All texts are allocated by the first call. */
static struct text *text_of(struct shell *shell, const struct command *command)
{
	if (!shell->defaults) {
		shell->defaults = alloc_array(NULL, command_count(), sizeof *shell->defaults);
		for (size_t i = 0; i < command_count(); i++)
			shell->defaults[i] = (struct text){ 0 };
	}
	return &shell->defaults[command - commands];
}

const struct text *shell_defaults_of(const struct shell *shell, const struct command *command)
{
	static const struct text nothing = { 0 };
	return shell->defaults ? &shell->defaults[command - commands] : &nothing;
}

void shell_defaults_forget(struct shell *shell)
{
	for (size_t i = 0; shell->defaults && i < command_count(); i++)
		text_deinit(&shell->defaults[i]);
	free(shell->defaults);
	shell->defaults = NULL;
}

static void print(const struct shell *shell, const struct command *command, struct out *out)
{
	const struct text *words = shell_defaults_of(shell, command);

	if (words->length == 0)
		return;

	out_format(out, "set %s", command->name);
	for (size_t at = 0; at < words->length; at += strlen(words->bytes + at) + 1) {
		out_string(out, " ");
		out_escaped(out, words->bytes + at);
	}

	out_string(out, "\n");
}

enum status shell_defaults_set_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	if (argc == 1) {
		for (const struct command *command = commands; command->name; command++)
			print(shell, command, out);
		return STATUS_OK;
	}

	const struct command *command = commands_find(argv[1]);
	if (!command) {
		report_error("set: unknown command '%s'; usage: set [COMMAND [OPTION]...], such as "
		             "'set map -n 20'",
		             argv[1]);
		return STATUS_ERROR;
	}

	struct text *words = text_of(shell, command);

	text_clear(words);
	for (int i = 2; i < argc; i++)
		text_bytes(words, argv[i], strlen(argv[i]) + 1);

	return STATUS_OK;
}
