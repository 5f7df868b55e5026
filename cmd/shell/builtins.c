/* SPDX-License-Identifier: MIT */
#include "shell/builtins.h"
#include "cli/help.h"
#include "shell/defaults.h"
#include "shell/lists.h"
#include "shell/prompt.h"
#include "shell/run.h"
#include "shell/target.h"
#include "shell/x_command.h"

#include <string.h>

static enum status help_run(struct shell *shell, struct out *out, int argc, char **argv);
static enum status clear_run(struct shell *shell, struct out *out, int argc, char **argv);
static enum status quit_run(struct shell *shell, struct out *out, int argc, char **argv);
static enum status source_run(struct shell *shell, struct out *out, int argc, char **argv);

const struct shell_builtin shell_builtins[] = {
	{ "attach", "PID|NAME|FILE", "look at this process or file from now on",
	  "The commands then need no TARGET. Nothing is stopped or changed by that.\n"
	  "FILE is a core file, or for map and diff saved smaps or a recording, also FILE@SAMPLE;\n"
	  "watch goes over a whole recording.",
	  shell_target_attach_run },
	{ "detach", "", "look at nothing; a stopped process runs on", "", shell_target_detach_run },
	{ "stop", "", "stop all threads of the process until cont",
	  "It runs on after cont, detach, and the end of the session, however that comes.",
	  shell_target_stop_run },
	{ "cont", "", "let a stopped process run on", "", shell_target_cont_run },
	{ "info", "", "what is attached, its state and size", "", shell_target_info_run },
	{ "x", "[/NUMBER FORMAT SIZE] [ADDRESS]", "values in memory, as gdb's x shows them",
	  "x/16gx 0x7f3a08000000, x/s #3, x/8a #r2+64; without ADDRESS it goes on.\n"
	  "FORMAT is x d u o t (numbers), c (characters), s (a string), f (floating point) or\n"
	  "a (addresses, with symbol and region); SIZE is b h w g: 1, 2, 4 or 8 bytes.",
	  shell_x_command_run },
	{ "hits", "", "what the last search found: #1, #2, ...",
	  "All that was found, also where its output went through head or to a file.",
	  shell_lists_hits_run },
	{ "regions", "", "the regions that were listed: #r1, #r2, ...", "",
	  shell_lists_regions_run },
	{ "set", "[COMMAND [OPTION]...]", "options that a command has from now on",
	  "set map -n 20 makes map list twenty regions; set map takes that back; set lists all.",
	  shell_defaults_set_run },
	{ "source", "FILE", "run the lines of a file", "", source_run },
	{ "history", "[NUMBER]", "the lines that were typed",
	  "Lines that begin with a blank are not kept.", shell_prompt_history_run },
	{ "clear", "", "an empty screen; Ctrl-L makes it while a line is typed", "", clear_run },
	{ "help", "[COMMAND]", "this list, or more about one command", "", help_run },
	{ "quit", "", "leave; exit and Ctrl-D do so too", "", quit_run },
	{ "exit", "", NULL, "", quit_run },
	{ 0 },
};

const struct shell_builtin *shell_builtins_find(const char *name)
{
	size_t length = strncmp(name, "x/", 2) == 0 ? 1 : strlen(name);
	for (const struct shell_builtin *builtin = shell_builtins; builtin->name; builtin++)
		if (strlen(builtin->name) == length && strncmp(builtin->name, name, length) == 0)
			return builtin;
	return NULL;
}

static void list_command(const char *name, const char *summary, struct out *out)
{
	out_wrapped_format(out, 13, "  %-10s %s\n", name, summary);
}

static void list(struct out *out)
{
	out_string(out, "Commands on what is attached:\n");
	for (const struct command *command = commands; command->name; command++)
		if (command->target >= 0)
			list_command(command->name, command->summary, out);

	out_string(out, "\nOn other processes:\n");
	for (const struct command *command = commands; command->name; command++)
		if (command->target < 0)
			list_command(command->name, command->summary, out);

	out_string(out, "\nOf this session:\n");
	for (const struct shell_builtin *builtin = shell_builtins; builtin->name; builtin++)
		if (builtin->summary)
			list_command(builtin->name, builtin->summary, out);

	out_string(out, "\n");
	cli_help_print_lines(
		"COMMAND | less, COMMAND > FILE and >>, COMMAND; COMMAND, and !COMMAND for sh,\n"
		"which takes the rest of the line.\n"
		"#3 is the third hit, #r2 the second region: dump #3, x/4gx #3+16, strings #r2.\n"
		"Numbers, and the count in the prompt, are of all that was found, shown or not.",
		0, out);
}

static enum status help_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	char option[] = "--help";

	(void)shell;
	if (argc == 1) {
		list(out);
		return STATUS_OK;
	}

	const struct shell_builtin *builtin = shell_builtins_find(argv[1]);
	const struct command *command = commands_find(argv[1]);
	if (builtin) {
		out_format(out, "Usage: %s %s\n\n%s\n", builtin->name, builtin->operands,
		           builtin->summary ? builtin->summary : "quit");
		if (*builtin->help)
			cli_help_print_lines(builtin->help, 0, out);
		return STATUS_OK;
	}

	if (command) {
		char *words[] = { argv[1], option, NULL };
		return command->run(out, 2, words);
	}

	report_error("there is no command '%s'; help lists them", argv[1]);
	return STATUS_ERROR;
}

static enum status clear_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	(void)shell;
	(void)argc;
	(void)argv;
	if (out->terminal)
		out_string(out, "\033[H\033[2J");
	return STATUS_OK;
}

static enum status quit_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	(void)out;
	(void)argc;
	(void)argv;
	shell->quit = true;
	return shell->status;
}

static enum status source_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	if (argc != 2) {
		report_error("source needs one FILE with commands");
		return STATUS_ERROR;
	}
	if (shell->sources == SHELL_SOURCES_MAX) {
		report_error("source: %s is sourced by itself", argv[1]);
		return STATUS_ERROR;
	}

	/* Its commands have outputs of their own; where this one's goes they go too. */
	struct out *before = shell->out;
	shell->out = out;
	shell->sources++;
	shell_run_file(shell, argv[1]);
	shell->sources--;
	shell->out = before;

	return shell->status;
}
