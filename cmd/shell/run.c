/* SPDX-License-Identifier: MIT */
#include "shell/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <procmem/typo.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "shell/builtins.h"
#include "shell/defaults.h"
#include "shell/results.h"
#include "shell/system.h"
#include "shell/target.h"

/* Signals whose handling is the same after each command as before it. */
static const int kept_signals[] = { SIGINT,   SIGTERM, SIGHUP,  SIGQUIT, SIGXFSZ,
	                            SIGWINCH, SIGTSTP, SIGCONT, SIGALRM, SIGPIPE };

enum { KEPT_SIGNALS = sizeof kept_signals / sizeof *kept_signals };

/** What a command may change of the process and a session gets back. */
struct surroundings {
	struct sigaction actions[KEPT_SIGNALS];
	struct termios terminal;
	bool has_terminal;
};

static void keep(struct surroundings *surroundings)
{
	for (size_t i = 0; i < KEPT_SIGNALS; i++)
		sigaction(kept_signals[i], NULL, &surroundings->actions[i]);
	surroundings->has_terminal = tcgetattr(STDIN_FILENO, &surroundings->terminal) == 0;
}

static void restore_signals(const struct surroundings *surroundings)
{
	for (size_t i = 0; i < KEPT_SIGNALS; i++)
		sigaction(kept_signals[i], &surroundings->actions[i], NULL);
}

/**
 * To be called when no child of the statement uses the terminal any more: a pager sets it for
 * itself, and again for others at its end.
 */
static void restore_terminal(const struct surroundings *surroundings)
{
	if (surroundings->has_terminal)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &surroundings->terminal);
}

/**
 * Opens the file that output is to go to. What stands in memory is secret: others may not read a
 * new one.
 * @return -1: it was reported
 */
static int open_file(const struct shell_statement *statement)
{
	int how = statement->output == SHELL_OUTPUT_APPEND ? O_APPEND : O_TRUNC;
	int fd = open(statement->output_to,
	              O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | how, 0600);
	if (fd < 0)
		report_error("cannot write %s: %s", statement->output_to,
		             errno == ELOOP ? "it is a symbolic link; name the file itself"
		                            : strerror(errno));
	return fd;
}

/** Where the output of a statement goes. */
struct sink {
	int fd;      /* to be closed, -1 for none */
	pid_t child; /* that reads it, -1 for none */
};

static int open_sink(const struct shell *shell, const struct shell_statement *statement,
                     struct sink *sink)
{
	int ends[2];

	*sink = (struct sink){ -1, -1 };
	if (statement->output == SHELL_OUTPUT_HERE)
		return shell->out->fd;
	if (statement->output != SHELL_OUTPUT_PIPE)
		return sink->fd = open_file(statement);
	if (pipe2(ends, O_CLOEXEC) < 0) {
		report_error("cannot make a pipe: %s", strerror(errno));
		return -1;
	}

	out_flush(shell->out);
	sink->child = shell_system_start(statement->output_to, ends[0]);
	close(ends[0]);
	sink->fd = ends[1];
	if (sink->child < 0)
		close(ends[1]);

	return sink->child < 0 ? -1 : ends[1];
}

static void close_sink(const struct sink *sink)
{
	if (sink->fd >= 0)
		close(sink->fd);
	if (sink->child >= 0)
		shell_system_await(sink->child);
}

/**
 * The command line of a command: what `set` says, and the target where the command needs one that
 * is not named.
 */
static void make_arguments(const struct shell *shell, const struct command *command,
                           const struct shell_statement *statement, struct shell_statement *line)
{
	const struct text *defaults = shell_defaults(shell, command);
	int operands;

	line->words = alloc_array(NULL, statement->count + defaults->length + 3,
	                          sizeof *line->words);
	line->words[line->count++] = statement->words[0];

	for (size_t at = 0; at < defaults->length; at += strlen(defaults->bytes + at) + 1)
		line->words[line->count++] = defaults->bytes + at;

	for (size_t i = 1; i < statement->count; i++)
		line->words[line->count++] = statement->words[i];

	line->words[line->count] = NULL;
	if (command->target < 0 || !shell->word)
		return;

	int place = cli_find_operand(command->spec, (int)line->count, line->words, command->target,
	                             &operands);
	bool is_full = command->spec->operands_max >= 0 && operands >= command->spec->operands_max;
	if (is_full || place < 0)
		return;

	memmove(line->words + place + 1, line->words + place,
	        (line->count - (size_t)place + 1) * sizeof *line->words);
	line->words[place] = shell->word;
	line->count++;
}

static enum status run_command(const struct shell *shell, const struct command *command,
                               const struct shell_statement *statement, struct out *out)
{
	struct shell_statement line = { 0 };
	make_arguments(shell, command, statement, &line);
	enum status status = command->run(out, (int)line.count, line.words);
	free(line.words);
	return status;
}

static enum status report_unknown(const char *name)
{
	const char *names[128];
	size_t count = 0;

	if (strcmp(name, "shell") == 0) {
		report_error("this is a session of procmem already; attach changes its target");
		return STATUS_ERROR;
	}
	for (const struct command *command = commands; command->name; command++)
		names[count++] = command->name;
	for (const struct shell_builtin *builtin = shell_builtins; builtin->name; builtin++)
		names[count++] = builtin->name;
	const char *nearest = pm_typo_nearest(name, names, count);
	if (nearest)
		report_error("there is no command '%s'; did you mean '%s'?", name, nearest);
	else
		report_error("there is no command '%s'; help lists them, !%s runs one of sh", name,
		             name);
	return STATUS_ERROR;
}

/**
 * Runs a statement whose output goes to a descriptor.
 * @param before what it gets back of signals, before its output's reader is awaited
 */
static enum status run_words(struct shell *shell, struct shell_statement *statement,
                             const struct surroundings *before, int fd)
{
	const struct shell_builtin *builtin = shell_builtins_find(statement->words[0]);
	const struct command *command = builtin ? NULL : commands_find(statement->words[0]);
	struct out out;
	out_init(&out, fd);
	out.plain = shell->out->plain;
	out.results = shell->results;
	if (shell->interactive)
		out.cancel = interrupt_session();

	out_set_colour(&out, OUT_COLOUR_AUTO);
	results_next_command(shell->results);

	enum status status = builtin   ? builtin->run(shell, &out, (int)statement->count,
	                                              statement->words)
	                     : command ? run_command(shell, command, statement, &out)
	                               : report_unknown(statement->words[0]);

	if (out_close(&out) < 0)
		status = STATUS_ERROR;

	int signal = interrupt_caught();
	restore_signals(before);

	/* Whoever ends the program means all of it; Ctrl-C at a prompt means the command. */
	if (signal != 0 && (signal != SIGINT || !shell->interactive))
		shell->quit = true;

	return status;
}

static enum status run_statement(struct shell *shell, struct shell_statement *statement)
{
	struct pm_error error;
	struct surroundings before;
	struct sink sink;

	if (statement->system)
		return shell_system_run(shell, statement->system);
	if (shell_results_replace(shell, statement, &error) < 0)
		return report_failure(&error);

	/* The terminal as it is before a pager can change it. */
	keep(&before);

	int fd = open_sink(shell, statement, &sink);
	enum status status = fd < 0 ? STATUS_ERROR : run_words(shell, statement, &before, fd);
	close_sink(&sink);
	restore_terminal(&before);

	return status;
}

/** Says what became of the target since the last command. */
static void tell_notice(struct shell *shell)
{
	struct text notice = { 0 };
	shell_target_notice(shell, &notice);
	if (notice.length > 0)
		report_note("%s", text_terminate(&notice));
	text_deinit(&notice);
}

bool shell_run_text(struct shell *shell, const char *text)
{
	const bool goes_on = shell->keep_going || (shell->interactive && shell->sources == 0);
	while (!shell->quit) {
		struct shell_statement statement;
		struct pm_error error;
		int found = shell_line_next(&text, &statement, &error);
		if (found == 0)
			return true;

		tell_notice(shell);
		if (found < 0) {
			shell->status = report_failure(&error);
			return goes_on;
		}

		shell->status = run_statement(shell, &statement);
		shell_line_statement_deinit(&statement);
		if (shell->status >= STATUS_ERROR && !goes_on)
			return false;
	}

	return false;
}

bool shell_run_file(struct shell *shell, const char *path)
{
	bool is_input = strcmp(path, "-") == 0, goes_on = true;
	FILE *file = is_input ? stdin : fopen(path, "re");

	shell->reads_input |= is_input && !shell->interactive;
	char *line = NULL;
	size_t capacity = 0, number = 0;
	if (!file) {
		report_error("cannot read %s: %s", path, strerror(errno));
		shell->status = STATUS_ERROR;
		return false;
	}

	while (goes_on && getline(&line, &capacity, file) >= 0) {
		number++;
		goes_on = shell_run_text(shell, line);
		out_flush(shell->out);
	}

	if (!goes_on && !shell->quit)
		report_note("%s, line %zu ended it%s", is_input ? "standard input" : path, number,
		            shell->interactive ? "" : "; -k goes on after an error");
	free(line);
	if (!is_input)
		fclose(file);

	return goes_on;
}
