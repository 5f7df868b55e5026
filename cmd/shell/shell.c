/* SPDX-License-Identifier: MIT */
#include "shell/shell.h"

#include <stdlib.h>
#include <unistd.h>

#include "shell/defaults.h"
#include "shell/prompt.h"
#include "shell/run.h"
#include "shell/session.h"
#include "shell/target.h"

/** The parsed options. */
struct shell_options {
	struct text commands; /* the commands of all -c, each followed by a newline */
	const char *file;     /* argument of -f; NULL if -f was not given */
	bool keep_going;      /* -k was given */
};

static const struct cli_option option_list[] = {
	{ 'c', "command", "COMMANDS",
	  "run these commands, separated by ';', instead of\n"
	  "prompting (a command after '!' extends to the end\n"
	  "of the line); may be repeated" },
	{ 'f', "file", "FILE", "run the commands in a file ('-': standard input)" },
	{ 'k', "keep-going", NULL,
	  "with -c or -f, or without a terminal: continue\n"
	  "after an error" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct shell_options *options = into;

	(void)error;
	switch (id) {
	case 'c':
		text_string(&options->commands, value);
		text_char(&options->commands, '\n');
		return 0;
	case 'f':
		options->file = value;
		return 0;
	default:
		options->keep_going = true;
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "What to run:", option_list, parse_option, 0 },
	{ 0 },
};

static const char *const exclusive[] = { "command file", NULL };

const struct cli_spec shell_spec = {
	.command = "shell",
	.operands = "[TARGET]",
	.purpose = "Runs commands on one target: the commands of procmem, without their TARGET,\n"
		   "and the commands that 'help' lists.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, a process name that matches one process, an ELF core file, or,\n"
		 "for 'map' and 'diff', a saved smaps file or a recording. 'watch' analyses all\n"
		 "samples of a recording. 'attach' changes the target.\n"
		 "Printed items have numbers: #r2 is a region and #3 a hit. 'dump #3' prints the\n"
		 "bytes of the hit.\n"
		 "Without a terminal, and with -c or -f, no prompt is printed, and the first\n"
		 "command that fails (exit status 2) ends the session. The exit status is that of\n"
		 "the last command.",
	.examples = {
		{ "procmem shell java", "open a prompt; 'help' lists the commands" },
		{ "procmem shell -c 'map -n 5; grep token' java",
		  "run two commands, without a prompt" },
	},
	.operands_min = 0,
	.operands_max = 1,
};

static void run(struct shell *shell, const struct shell_options *options)
{
	if (options->commands.length > 0)
		shell_run_text(shell, options->commands.bytes);
	else if (options->file)
		shell_run_file(shell, options->file);
	else if (shell->interactive)
		shell_prompt(shell);
	else
		shell_run_file(shell, "-");
}

static enum status start(const struct shell_options *options, const struct cli_result *words,
                         struct out *out)
{
	struct shell shell = { .out = out,
		               .results = results_create(),
		               .keep_going = options->keep_going,
		               .run_file = shell_run_file };

	shell.interactive = options->commands.length == 0 && !options->file &&
	                    isatty(STDIN_FILENO) && out->terminal;
	out->plain = !shell.interactive;
	out_set_colour(out, OUT_COLOUR_AUTO);

	if (words->count > 0)
		shell.status = shell_target_attach(&shell, words->operands[0],
		                                   shell.interactive ? out : NULL);

	/* If the attachment failed, an interactive shell starts nevertheless: at its prompt, the
	 * user can attach another target. */
	if (shell.status == STATUS_OK || shell.interactive)
		run(&shell, options);

	shell_target_detach(&shell);
	shell_defaults_forget(&shell);
	free(shell.examine);
	results_destroy(shell.results);

	return shell.status;
}

enum status shell_run(struct out *out, int argc, char **argv)
{
	struct shell_options options = { 0 };
	struct cli_result words;
	enum status status;

	if (!cli_parse(&shell_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&shell_spec, &words)) {
		status = words.status;
	} else {
		text_terminate(&options.commands);
		status = start(&options, &words, out);
	}

	text_deinit(&options.commands);
	return status;
}
