/* SPDX-License-Identifier: MIT */
#include "shell/prompt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include <procmem/number.h>

#include "base/interrupt.h"
#include "shell/complete.h"
#include "shell/history.h"
#include "shell/run.h"
#include "shell/target.h"
#include "target/stopping.h"

/* How often a process that waits for us is asked whether it called exec, in milliseconds; its end
 * is told at once. */
enum { EXEC_CHECK_MS = 1000 };

/** The session whose line is read: readline's hooks are called without any context. */
static struct shell *reader;

/** Ctrl-C came at the prompt. */
static const volatile sig_atomic_t *interrupted;

/** Adds what the prompt says: the target, whether it stands still, how much was found last. */
static void make_prompt(const struct shell *shell, struct text *prompt)
{
	bool regions;
	size_t count = results_last_count(shell->results, &regions);

	text_string(prompt, shell->word ? shell->name : "procmem");
	if (shell->target.process)
		text_format(prompt, " %s", shell->word);
	if (stopping_held() || count > 0)
		text_string(prompt, " (");
	if (stopping_held())
		text_format(prompt, "stopped%s", count > 0 ? ", " : "");
	if (count > 0)
		text_format(prompt, "%zu %s%s", count, regions ? "region" : "hit",
		            count == 1 ? "" : "s");

	if (stopping_held() || count > 0)
		text_char(prompt, ')');
	text_string(prompt, "> ");
}

/** Tells what became of the target while a line is being typed, above that line. */
static void tell_notice(void)
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
 * Waits for a key or for the end of the target, with SIGINT only let in meanwhile: before the wait
 * it would be overlooked.
 */
static int await_input(struct pollfd *waits, nfds_t count, bool timed)
{
	const struct timespec timeout = { .tv_sec = EXEC_CHECK_MS / 1000,
		                          .tv_nsec = EXEC_CHECK_MS % 1000 * 1000000L };
	sigset_t interrupt, before;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &before);

	int ready = rl_pending_signal() ? -1
	                                : ppoll(waits, count, timed ? &timeout : NULL, &before);
	int cause = rl_pending_signal() ? EINTR : errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = cause;

	return ready;
}

/**
 * Waits for a key, and for the end of the target.
 * @return as rl_getc()
 */
static int read_key(FILE *file)
{
	/* Once interrupted the line is given up, whatever (a search, a question) waits for keys
	 * within it: each gets no more. */
	while (!*interrupted) {
		struct pm_process *process = reader->target.process;
		struct pollfd waits[2] = { { .events = POLLIN }, { .events = POLLIN } };
		waits[0].fd = fileno(file);
		waits[1].fd = process ? pm_process_poll_fd(process) : -1;

		int ready = await_input(waits, 2, process != NULL);
		if (ready < 0 && errno != EINTR)
			break;

		/* The window changed its size, or Ctrl-C came, perhaps together with a key, which
		 * belongs to the next line: readline has noted it. */
		if (ready < 0 || rl_pending_signal())
			rl_check_signals();
		else if (waits[0].revents)
			return rl_getc(file);
		else
			tell_notice();
	}

	return READERR;
}

/**
 * Reads a line.
 * @return the line, NULL at the end or after Ctrl-C, which sets `interrupted`
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
	out_string(shell->out, "help lists the commands; Ctrl-D leaves\n");

	while (!shell->quit) {
		char *line = read_line(shell);
		/* The line is given up, as in other shells. */
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

enum status shell_prompt_history_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	uint64_t most = UINT64_MAX;
	struct pm_error error;

	(void)shell;
	if (argc > 2 || (argc == 2 && pm_parse_decimal(argv[1], UINT64_MAX, &most, &error) < 0)) {
		report_error("history takes one number: how many of the last lines");
		return STATUS_ERROR;
	}

	HIST_ENTRY **entries = history_list();
	int first = history_length > 0 && most < (uint64_t)history_length
	                    ? history_length - (int)most
	                    : 0;

	for (int i = first; entries && i < history_length; i++) {
		out_format(out, "%5d  ", history_base + i);
		out_escaped(out, entries[i]->line);
		out_string(out, "\n");
	}

	return STATUS_OK;
}
