/* SPDX-License-Identifier: MIT */
#include "shell/builtins.h"

#include <string.h>

#include "base/report.h"
#include "cli/help.h"
#include "commands.h"
#include "shell/defaults.h"
#include "shell/history.h"
#include "shell/lists.h"
#include "shell/target.h"
#include "shell/x_command.h"

/* Maximum nesting of `source`. A deeper nesting is an error, because a file probably sources
 * itself. */
enum { SOURCES_MAX = 16 };

static enum status help_run(struct shell *shell, struct out *out, int argc, char **argv);
static enum status clear_run(struct shell *shell, struct out *out, int argc, char **argv);
static enum status quit_run(struct shell *shell, struct out *out, int argc, char **argv);
static enum status source_run(struct shell *shell, struct out *out, int argc, char **argv);

const struct shell_builtin shell_builtins[] = {
	{ "attach", "PID|NAME|FILE", false, "make a process or file the target",
	  "Commands then need no TARGET. The process is neither stopped nor changed.\n"
	  "FILE is a core file or, for 'map' and 'diff', a saved smaps file or a recording.\n"
	  "FILE@SAMPLE selects a sample of a recording; 'watch' analyses all samples.",
	  shell_target_attach_run },
	{ "detach", "", true, "release the target; a stopped process continues", "",
	  shell_target_detach_run },
	{ "stop", "", true, "stop all threads of the process until 'cont'",
	  "The process continues after 'cont' or 'detach', or when the session ends, even\n"
	  "if the session is killed.",
	  shell_target_stop_run },
	{ "cont", "", true, "let a stopped process continue", "", shell_target_cont_run },
	{ "info", "", true, "print the target, its state and its sizes", "",
	  shell_target_info_run },
	{ "x", "[/NUMBER FORMAT SIZE] [ADDRESS]", false, "print values in memory, like x of gdb",
	  "Examples: x/16gx 0x7f3a08000000, x/s #3, x/8a #r2+64. Without ADDRESS the output\n"
	  "continues after the last value.\n"
	  "FORMAT is x d u o t (numbers), c (characters), s (a string), f (floating point) or\n"
	  "a (addresses with symbol and region). SIZE is b h w g: 1, 2, 4 or 8 bytes.",
	  shell_x_command_run },
	{ "hits", "", true, "list the hits of the last search: #1, #2, ...",
	  "All hits are listed, even if the output of the search was cut by 'head' or went to\n"
	  "a file.",
	  shell_lists_hits_run },
	{ "regions", "", true, "list the regions that have numbers: #r1, #r2, ...", "",
	  shell_lists_regions_run },
	{ "set", "[COMMAND [OPTION]...]", false, "set default options of a command",
	  "After 'set map -n 20', 'map' lists twenty regions. 'set map' removes the options\n"
	  "of 'map'. 'set' lists the default options of all commands.",
	  shell_defaults_set_run },
	{ "source", "FILE", false, "run the commands in a file", "", source_run },
	{ "history", "[NUMBER]", false,
	  "list the lines that were typed, or only the last NUMBER lines",
	  "Lines that start with a space are not stored.", shell_history_run },
	{ "clear", "", false, "clear the screen (Ctrl-L does the same at the prompt)", "",
	  clear_run },
	{ "help", "[COMMAND]", false, "list all commands, or describe one", "", help_run },
	{ "quit", "", false, "end the session, as 'exit' and Ctrl-D do", "", quit_run },
	{ "exit", "", false, NULL, "", quit_run },
	{ 0 },
};

const struct shell_builtin *shell_builtins_find(const char *name)
{
	size_t length = strncmp(name, "x/", 2) == 0 ? 1 : strlen(name);

	for (const struct shell_builtin *builtin = shell_builtins; builtin->name; builtin++) {
		if (strlen(builtin->name) == length && strncmp(builtin->name, name, length) == 0)
			return builtin;
	}
	return NULL;
}

enum status shell_builtins_run(const struct shell_builtin *builtin, struct shell *shell,
                               struct out *out, int argc, char **argv)
{
	if (argc > 1 && builtin->strict) {
		report_error("unexpected operand '%s'; usage: %s", argv[1], builtin->name);
		return STATUS_ERROR;
	}

	return builtin->run(shell, out, argc, argv);
}

static void list_command(const char *name, const char *summary, struct out *out)
{
	out_wrapped_format(out, 13, "  %-10s %s\n", name, summary);
}

static void list_all(struct out *out)
{
	out_string(out, "Commands for the target:\n");
	for (const struct command *command = commands; command->name; command++) {
		if (command->target >= 0)
			list_command(command->name, command->summary, out);
	}

	out_string(out, "\nCommands for other processes:\n");
	for (const struct command *command = commands; command->name; command++) {
		if (command->target < 0)
			list_command(command->name, command->summary, out);
	}

	out_string(out, "\nCommands of the session:\n");
	for (const struct shell_builtin *builtin = shell_builtins; builtin->name; builtin++) {
		if (builtin->summary)
			list_command(builtin->name, builtin->summary, out);
	}

	out_string(out, "\n");
	cli_help_print_lines(
		"COMMAND | less, COMMAND > FILE, COMMAND >> FILE and COMMAND; COMMAND work as in\n"
		"a shell. !COMMAND passes the rest of the line to sh.\n"
		"#3 is the third hit, #r2 the second region: dump #3, x/4gx #3+16, strings #r2.\n"
		"All hits and regions have numbers and are counted in the prompt, even if they\n"
		"were not printed.",
		0, out);
}

static void describe(const struct shell_builtin *builtin, struct out *out)
{
	const char *summary = builtin->summary ? builtin->summary : "end the session";

	out_format(out, "Usage: %s", builtin->name);
	if (*builtin->operands)
		out_format(out, " %s", builtin->operands);
	out_format(out, "\n\n%s\n", summary);
	if (*builtin->help)
		cli_help_print_lines(builtin->help, 0, out);
}

static enum status help_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	(void)shell;
	if (argc == 1) {
		list_all(out);
		return STATUS_OK;
	}

	const struct shell_builtin *builtin = shell_builtins_find(argv[1]);
	const struct command *command = commands_find(argv[1]);

	if (builtin) {
		describe(builtin, out);
		return STATUS_OK;
	}
	if (command) {
		char option[] = "--help";
		char *words[] = { argv[1], option, NULL };

		return command->run(out, 2, words);
	}

	report_error("unknown command '%s'; 'help' lists the commands", argv[1]);
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
		report_error("'source' needs one FILE with commands");
		return STATUS_ERROR;
	}
	if (shell->sources == SOURCES_MAX) {
		report_error("source: files are nested too deeply; probably %s runs itself",
		             argv[1]);
		return STATUS_ERROR;
	}

	/* The output of each command in the file goes to the output of `source`, unless the command
	 * redirects it. */
	struct out *before = shell->out;

	shell->out = out;
	shell->sources++;
	shell->run_file(shell, argv[1]);
	shell->sources--;
	shell->out = before;

	return shell->status;
}
