/* SPDX-License-Identifier: MIT */
/*
 * Runs statements: opens their outputs, adds default options and the target to commands, and
 * restores the signals and the terminal after each of them.
 */
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
#include "base/report.h"
#include "commands.h"
#include "shell/builtins.h"
#include "shell/defaults.h"
#include "shell/line.h"
#include "shell/results.h"
#include "shell/system.h"
#include "shell/target.h"

/* Signals whose actions are restored after each command. */
static const int kept_signals[] = { SIGINT,   SIGTERM, SIGHUP,  SIGQUIT, SIGXFSZ,
	                            SIGWINCH, SIGTSTP, SIGCONT, SIGALRM, SIGPIPE };

enum { KEPT_SIGNALS = sizeof kept_signals / sizeof *kept_signals };

/**
 * The actions of signals and the mode of the terminal. A command may change them, so they are
 * restored after each command.
 */
struct saved_state {
	struct sigaction actions[KEPT_SIGNALS];
	struct termios terminal;
	bool has_terminal;
};

static void save_state(struct saved_state *state)
{
	for (size_t i = 0; i < KEPT_SIGNALS; i++)
		sigaction(kept_signals[i], NULL, &state->actions[i]);
	state->has_terminal = tcgetattr(STDIN_FILENO, &state->terminal) == 0;
}

static void restore_signals(const struct saved_state *state)
{
	for (size_t i = 0; i < KEPT_SIGNALS; i++)
		sigaction(kept_signals[i], &state->actions[i], NULL);
}

/**
 * Restores the terminal. Call it after all children of the statement have exited, because a pager
 * changes the terminal, and changes it again when it exits.
 */
static void restore_terminal(const struct saved_state *state)
{
	if (state->has_terminal)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &state->terminal);
}

/**
 * Opens a file for output. Only the owner can read a new file, because memory can contain secrets.
 * @return a descriptor; -1 if a failure was reported
 */
static int open_file(const struct shell_statement *statement)
{
	int how = statement->output == SHELL_OUTPUT_APPEND ? O_APPEND : O_TRUNC;
	int fd = open(statement->output_to,
	              O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | how, 0600);

	if (fd < 0)
		report_error(
			"cannot write %s: %s", statement->output_to,
			errno == ELOOP
				? "it is a symbolic link; give the path of the file it points to"
				: strerror(errno));
	return fd;
}

/** The output of a statement, if the statement sends its output to a file or to a command of sh. */
struct sink {
	int fd;      /* descriptor of the file or pipe, to be closed; -1 if there is none */
	pid_t child; /* PID of the process that reads the output; -1 if there is none */
};

/**
 * Starts the command of sh that reads the output.
 * @return a descriptor; -1 if a failure was reported
 */
static int open_pipe(const struct shell *shell, char *command, struct sink *sink)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0) {
		report_error("cannot make a pipe: %s", strerror(errno));
		return -1;
	}

	out_flush(shell->out);
	sink->child = shell_system_start(command, ends[0]);
	close(ends[0]);

	if (sink->child < 0) {
		close(ends[1]);
		return -1;
	}

	sink->fd = ends[1];
	return sink->fd;
}

/** Opens the output of a statement. @return a descriptor; -1 if a failure was reported */
static int open_sink(const struct shell *shell, const struct shell_statement *statement,
                     struct sink *sink)
{
	*sink = (struct sink){ -1, -1 };
	if (statement->output == SHELL_OUTPUT_HERE)
		return shell->out->fd;
	if (statement->output == SHELL_OUTPUT_PIPE)
		return open_pipe(shell, statement->output_to, sink);

	sink->fd = open_file(statement);
	return sink->fd;
}

static void close_sink(const struct sink *sink)
{
	if (sink->fd >= 0)
		close(sink->fd);
	if (sink->child >= 0)
		shell_system_await(sink->child);
}

/**
 * Makes the command line of a command: its name, the options of `set`, the words of the statement,
 * and the target if the command needs one that is not given.
 */
static void make_arguments(const struct shell *shell, const struct command *command,
                           const struct shell_statement *statement, struct shell_statement *line)
{
	const struct text *defaults = shell_defaults_of(shell, command);
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
		report_error(
			"this is already a session of procmem; use 'attach' to change the target");
		return STATUS_ERROR;
	}

	for (const struct command *command = commands; command->name; command++)
		names[count++] = command->name;
	for (const struct shell_builtin *builtin = shell_builtins; builtin->name; builtin++)
		names[count++] = builtin->name;

	const char *nearest = pm_typo_nearest(name, names, count);
	if (nearest)
		report_error("unknown command '%s'; did you mean '%s'?", name, nearest);
	else
		report_error("unknown command '%s'; 'help' lists the commands, '!%s' runs it in sh",
		             name, name);
	return STATUS_ERROR;
}

/** Finds and runs the command of a statement. */
static enum status dispatch(struct shell *shell, struct shell_statement *statement, struct out *out)
{
	const struct shell_builtin *builtin = shell_builtins_find(statement->words[0]);
	const struct command *command = commands_find(statement->words[0]);

	if (builtin)
		return shell_builtins_run(builtin, shell, out, (int)statement->count,
		                          statement->words);
	if (command)
		return run_command(shell, command, statement, out);
	return report_unknown(statement->words[0]);
}

/**
 * Runs a statement whose output goes to a descriptor.
 * @param before  state from which signals are restored. This happens as soon as the command has
 *                ended, while a pager may still be running
 */
static enum status run_words(struct shell *shell, struct shell_statement *statement,
                             const struct saved_state *before, int fd)
{
	struct out out;

	out_init(&out, fd);
	out.plain = shell->out->plain;
	out.results = shell->results;
	if (shell->interactive)
		out.cancel = interrupt_session();
	out_set_colour(&out, OUT_COLOUR_AUTO);
	results_next_command(shell->results);

	enum status status = dispatch(shell, statement, &out);

	if (out_close(&out) < 0)
		status = STATUS_ERROR;

	int signal = interrupt_caught();

	restore_signals(before);

	/* A signal ends the session, except that Ctrl-C at a prompt ends only the command. */
	if (signal != 0 && (signal != SIGINT || !shell->interactive))
		shell->quit = true;

	return status;
}

static enum status run_statement(struct shell *shell, struct shell_statement *statement)
{
	enum status status = STATUS_ERROR;
	struct pm_error error;
	struct saved_state before;
	struct sink sink;

	if (statement->system)
		return shell_system_run(shell, statement->system);
	if (shell_results_replace(shell, statement, &error) < 0)
		return report_failure(&error);

	/* Save the state before a pager can change the terminal. */
	save_state(&before);

	int fd = open_sink(shell, statement, &sink);
	if (fd >= 0)
		status = run_words(shell, statement, &before, fd);
	close_sink(&sink);
	restore_terminal(&before);

	return status;
}

/** Reports an exit or exec of the target since the last command. */
static void report_notice(struct shell *shell)
{
	struct text notice = { 0 };

	shell_target_notice(shell, &notice);
	if (notice.length > 0)
		report_note("%s", text_terminate(&notice));
	text_deinit(&notice);
}

bool shell_run_text(struct shell *shell, const char *text)
{
	const bool continues = shell->keep_going || (shell->interactive && shell->sources == 0);

	while (!shell->quit) {
		struct shell_statement statement;
		struct pm_error error;
		int found = shell_line_next(&text, &statement, &error);

		if (found == 0)
			return true;

		report_notice(shell);
		if (found < 0) {
			shell->status = report_failure(&error);
			return continues;
		}

		shell->status = run_statement(shell, &statement);
		shell_line_statement_deinit(&statement);
		if (shell->status >= STATUS_ERROR && !continues)
			return false;
	}

	return false;
}

bool shell_run_file(struct shell *shell, const char *path)
{
	bool is_input = strcmp(path, "-") == 0;
	bool continues = true;
	FILE *file = is_input ? stdin : fopen(path, "re");
	size_t capacity = 0, number = 0;
	char *line = NULL;
	const char *hint = "";

	if (!shell->interactive)
		hint = "; -k continues after an error";
	shell->reads_input |= is_input && !shell->interactive;
	if (!file) {
		report_error("cannot read %s: %s", path, strerror(errno));
		shell->status = STATUS_ERROR;
		return false;
	}

	while (continues && getline(&line, &capacity, file) >= 0) {
		number++;
		continues = shell_run_text(shell, line);
		out_flush(shell->out);
	}

	if (!continues && !shell->quit)
		report_note("stopped at %s, line %zu%s", is_input ? "standard input" : path, number,
		            hint);

	free(line);
	if (!is_input)
		fclose(file);
	return continues;
}
