/* SPDX-License-Identifier: MIT */
/*
 * Reads lines with readline. While a line is edited, the end of the target is also noticed: its PID
 * file descriptor is polled together with the keys.
 */
#include "shell/prompt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <readline/readline.h>

#include "base/interrupt.h"
#include "base/report.h"
#include "shell/complete.h"
#include "shell/history.h"
#include "shell/run.h"
#include "shell/target.h"
#include "target/stopping.h"

/* Milliseconds between checks whether the target called exec. Unlike the end of the target, an exec
 * causes no event on the PID file descriptor. */
enum { EXEC_CHECK_MS = 1000 };

/** The session whose lines are read. The hooks of readline have no context argument. */
static struct shell *reader;

/** Points to a flag that becomes non-zero when Ctrl-C is pressed at the prompt. */
static const volatile sig_atomic_t *interrupted;

/**
 * Makes the prompt: the target, whether it is stopped, and the number of hits or regions that the
 * last command found.
 */
static void make_prompt(const struct shell *shell, struct text *prompt)
{
	bool regions;
	size_t count = results_last_count(shell->results, &regions);
	bool stopped = stopping_held();
	const char *noun = regions ? "region" : "hit";

	text_string(prompt, shell->word ? shell->name : "procmem");
	if (shell->target.process)
		text_format(prompt, " %s", shell->word);

	if (stopped || count > 0)
		text_string(prompt, " (");
	if (stopped)
		text_string(prompt, "stopped");
	if (stopped && count > 0)
		text_string(prompt, ", ");
	if (count > 0)
		text_format(prompt, "%zu %s%s", count, noun, count == 1 ? "" : "s");
	if (stopped || count > 0)
		text_char(prompt, ')');

	text_string(prompt, "> ");
}

/** Reports an exit or exec of the target, above the line that is being edited. */
static void report_notice(void)
{
	struct text notice = { 0 }, prompt = { 0 };

	shell_target_notice(reader, &notice);
	if (notice.length > 0) {
		rl_clear_visible_line();
		report_note("%s", text_terminate(&notice));
		make_prompt(reader, &prompt);
		rl_set_prompt(text_terminate(&prompt));
		rl_on_new_line();
		rl_forced_update_display();
	}

	text_deinit(&notice);
	text_deinit(&prompt);
}

/**
 * Waits for descriptors. SIGINT is blocked except during the wait, so that no signal is missed
 * between the check for signals and the wait.
 */
static int await_input(struct pollfd *waits, nfds_t count, bool timed)
{
	const struct timespec timeout = { .tv_sec = EXEC_CHECK_MS / 1000,
		                          .tv_nsec = EXEC_CHECK_MS % 1000 * 1000000L };
	sigset_t interrupt, before;
	int ready = -1;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &before);

	if (!rl_pending_signal())
		ready = ppoll(waits, count, timed ? &timeout : NULL, &before);

	int cause = rl_pending_signal() ? EINTR : errno;

	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = cause;

	return ready;
}

/** Waits for a key, and for the end of the target. @return as rl_getc() */
static int read_key(FILE *file)
{
	/* After Ctrl-C, return no more keys: the line is discarded, and functions of readline that
	 * wait for keys, such as a search or a question, must end. */
	while (!*interrupted) {
		struct pm_process *process = reader->target.process;
		struct pollfd waits[2] = { { .events = POLLIN }, { .events = POLLIN } };

		waits[0].fd = fileno(file);
		waits[1].fd = process ? pm_process_poll_fd(process) : -1;

		int ready = await_input(waits, 2, process != NULL);
		if (ready < 0 && errno != EINTR)
			break;

		/* The size of the window changed, or Ctrl-C was pressed. A key that arrived at the
		 * same time belongs to the next line. */
		if (ready < 0 || rl_pending_signal())
			rl_check_signals();
		else if (waits[0].revents)
			return rl_getc(file);
		else
			report_notice();
	}

	return READERR;
}

/**
 * Reads a line.
 * @return the line; NULL at the end of the input, or after Ctrl-C, which sets `interrupted`
 */
static char *read_line(struct shell *shell)
{
	struct text prompt = { 0 };

	interrupted = interrupt_session();
	make_prompt(shell, &prompt);
	out_flush(shell->out);

	char *line = readline(text_terminate(&prompt));

	text_deinit(&prompt);
	return line;
}

void shell_prompt(struct shell *shell)
{
	reader = shell;
	rl_readline_name = "procmem";
	rl_getc_function = read_key;
	shell_complete_start(shell);
	shell_history_start();
	out_string(shell->out, "'help' lists the commands; Ctrl-D ends the session\n");

	while (!shell->quit) {
		char *line = read_line(shell);

		/* The line is discarded, as in other shells. */
		if (!line && *interrupted)
			continue;
		if (!line) {
			out_string(shell->out, "\n");
			break;
		}

		shell_history_add(line);
		shell_run_text(shell, line);
		free(line);
	}

	shell_history_end();
}
