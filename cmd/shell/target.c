/* SPDX-License-Identifier: MIT */
#include "shell/target.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <procmem/core.h>
#include <procmem/recording.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/report.h"
#include "base/utf8.h"
#include "shell/examine.h"
#include "target/stopping.h"

/**
 * Replaces the target of a session.
 *
 * @param target  the open target; now owned by the session
 * @param word    the TARGET for commands; now owned by the session
 * @param name    name of the target, not escaped; copied
 */
static void adopt(struct shell *shell, const struct target *target, char *word, const char *name)
{
	struct text escaped = { 0 };

	shell_target_detach(shell);
	utf8_escape(&escaped, name, strlen(name));
	shell->target = *target;
	shell->word = word;
	shell->target.word = word;
	shell->name = alloc_string(text_terminate(&escaped));
	text_deinit(&escaped);
}

static int adopt_process(struct shell *shell, const struct target *target, struct pm_error *error)
{
	struct pm_process_info info;
	struct text word = { 0 };

	if (pm_process_read_info(target->process, &info, error) < 0)
		return -1;

	text_decimal(&word, (uint64_t)info.pid);
	adopt(shell, target, alloc_string(text_terminate(&word)), info.comm);
	text_deinit(&word);
	return 0;
}

/** Checks that a recording contains a sample. @return 0 or -1 */
static int check_sample(const char *file, const char *which, struct pm_error *error)
{
	struct pm_recording *recording;
	uint64_t number;

	if (pm_recording_open(file, &recording, error) < 0)
		return -1;

	int found = pm_recording_find(recording, which, &number, error);

	pm_recording_close(recording);
	return found;
}

/**
 * Makes a file the target. The TARGET for commands is its absolute path, because a word that starts
 * with a slash is never the name of a process. For a sample of a recording, "@" and the sample are
 * appended to the path.
 */
static int adopt_file(struct shell *shell, const struct target *target, struct pm_error *error)
{
	const char *which;
	struct text word = { 0 };
	char *recording = target_recording(target->path, &which);
	char *path = realpath(recording ? recording : target->path, NULL);
	int status = -1;

	if (!path || access(path, R_OK) < 0) {
		pm_error_set(error, PM_ERROR_NOT_FOUND, errno, "cannot read %s: %s", target->path,
		             strerror(errno));
	} else if (!recording || check_sample(recording, which, error) == 0) {
		text_string(&word, path);
		if (recording)
			text_string(&word, target->path + strlen(recording));

		char *absolute = alloc_string(text_terminate(&word));
		struct target adopted = { .path = absolute, .recording = target->recording };

		adopt(shell, &adopted, absolute, strrchr(absolute, '/') + 1);
		status = 0;
	}

	text_deinit(&word);
	free(recording);
	free(path);

	return status;
}

/** Returns a description of a target that is a file. */
static const char *file_words(const struct target *target)
{
	if (target->recording && pm_recording_is(target->path))
		return "a recording, for 'map', 'diff' and 'watch'";
	if (target->recording)
		return "a recording, for 'map' and 'diff'";
	if (pm_core_is_one(target->path))
		return "a core file";
	return "a saved smaps or maps file, for 'map' and 'diff'";
}

/** Prints one line about the target. */
static void print_target(const struct shell *shell, struct out *out)
{
	struct pm_process_info info;

	if (!shell->target.process) {
		out_format(out, "%s: %s\n", shell->name, file_words(&shell->target));
		return;
	}
	if (pm_process_read_info(shell->target.process, &info, NULL) < 0)
		return;

	struct text size = { 0 };

	text_size(&size, info.vm_rss);
	out_format(out, "%s (%d): %u thread%s, RSS %s\n", shell->name, (int)info.pid, info.threads,
	           info.threads == 1 ? "" : "s", text_terminate(&size));
	text_deinit(&size);
}

enum status shell_target_attach(struct shell *shell, const char *word, struct out *out)
{
	struct pm_error error = { 0 };
	struct target target;
	int adopted;

	if (target_open(&target, word, &error) < 0)
		return report_failure(&error);

	if (strcmp(word, "-") == 0)
		adopted = pm_error_set(&error, PM_ERROR_USAGE, 0,
		                       "'attach' cannot use standard input, which can be read only "
		                       "once; give the name of a file");
	else if (target.process)
		adopted = adopt_process(shell, &target, &error);
	else
		adopted = adopt_file(shell, &target, &error);

	if (adopted < 0) {
		target_close(&target);
		return report_failure(&error);
	}

	if (out)
		print_target(shell, out);
	return STATUS_OK;
}

void shell_target_detach(struct shell *shell)
{
	stopping_release();
	target_close(&shell->target);
	shell->target = (struct target){ 0 };
	free(shell->word);
	free(shell->name);
	shell->word = shell->name = NULL;

	results_clear(shell->results);
	if (shell->examine)
		shell->examine->next = 0;
}

/**
 * Attaches to the process again after it called exec, which has replaced its memory.
 * @return false if the process has exited
 */
static bool attach_again(struct shell *shell, struct text *notice)
{
	struct pm_error error;
	struct target target;
	struct pm_process_info before, info;

	if (pm_process_read_info(shell->target.process, &before, NULL) < 0 || before.state == 'Z' ||
	    before.state == 'X' || target_open_process(&target, shell->word, NULL) < 0)
		return false;

	if (pm_process_read_info(target.process, &info, NULL) < 0 ||
	    info.start_ticks != before.start_ticks || adopt_process(shell, &target, &error) < 0) {
		target_close(&target);
		return false;
	}

	text_format(notice,
	            "process %d called exec and now runs %s; its memory was replaced, so numbered "
	            "results (#1, #r1) are no longer valid",
	            (int)info.pid, shell->name);

	return true;
}

void shell_target_notice(struct shell *shell, struct text *notice)
{
	struct pm_error error;

	if (!shell->target.process || pm_process_check(shell->target.process, &error) == 0 ||
	    error.kind != PM_ERROR_GONE)
		return;
	if (attach_again(shell, notice))
		return;

	text_format(notice, "%s: nothing is attached now", error.text);
	shell_target_detach(shell);
}

/** Checks that the target is a process; reports an error if it is not. */
static bool has_process(const struct shell *shell, const char *name)
{
	if (!shell->word)
		report_error("%s: nothing is attached; use 'attach PID' or 'attach NAME' first",
		             name);
	else if (!shell->target.process)
		report_error("%s: %s is a file, not a process", name, shell->name);

	return shell->target.process != NULL;
}

enum status shell_target_attach_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	if (argc == 2)
		return shell_target_attach(shell, argv[1], out);

	report_error("'attach' needs one TARGET: a PID, a process name or a file ('ps' lists "
	             "processes)");
	return STATUS_ERROR;
}

enum status shell_target_detach_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	(void)out;
	(void)argc;
	(void)argv;
	if (!shell->word)
		report_note("nothing is attached");
	shell_target_detach(shell);
	return STATUS_OK;
}

enum status shell_target_stop_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	struct pm_error error;

	(void)argc;
	if (!has_process(shell, argv[0]))
		return STATUS_ERROR;
	if (stopping_held()) {
		report_note("%s is already stopped", shell->name);
		return STATUS_OK;
	}

	struct stopping_others others = stopping_find_others(shell->target.process);
	if (stopping_hold(shell->target.process, interrupt_catch(), &error) < 0)
		return report_failure(&error);

	size_t threads = pm_stop_count(stopping_held());

	out_wrapped_format(out, 2,
	                   "%s is stopped (%zu thread%s) until 'cont' or the end of the session\n",
	                   shell->name, threads, text_plural(threads));
	stopping_report_others(&others);
	return STATUS_OK;
}

enum status shell_target_cont_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	(void)argc;
	if (!has_process(shell, argv[0]))
		return STATUS_ERROR;
	if (!stopping_held()) {
		report_note("%s is not stopped by this session", shell->name);
		return STATUS_OK;
	}

	out_format(out, "%s runs again; it was stopped for %.1f s\n", shell->name,
	           (double)stopping_release() / 1e9);
	return STATUS_OK;
}

/** Prints a line of `info` with a size. */
static void put_size(struct out *out, const char *label, uint64_t bytes)
{
	struct text size = { 0 };
	text_size(&size, bytes);
	out_format(out, "%-11s%s\n", label, text_terminate(&size));
	text_deinit(&size);
}

static void put_command(struct out *out, int pid, const char *name, const char *command)
{
	struct text lines = { 0 };

	text_format(&lines, "%-11s%d %s\n%-11s", "process", pid, name, "command");
	utf8_escape(&lines, command, strlen(command));
	text_char(&lines, '\n');
	out_wrapped(out, &lines, 11);
	text_deinit(&lines);
}

static const char *state_words(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
	case 'I':
		return "sleeping";
	case 'D':
		return "in uninterruptible sleep";
	case 'T':
		return "stopped by a signal ('kill -CONT PID' lets it continue)";
	case 't':
		return "stopped by a debugger";
	default:
		return "dead";
	}
}

/** Prints the process and its sizes. */
static enum status print_process(const struct shell *shell, struct out *out)
{
	struct pm_error error;
	struct pm_process_info info;
	bool stopped = stopping_held();
	char *command;

	if (pm_process_read_info(shell->target.process, &info, &error) < 0 ||
	    pm_process_read_command(shell->target.process, &command, &error) < 0)
		return report_failure(&error);

	put_command(out, (int)info.pid, shell->name, command);
	free(command);

	out_format(out, "%-11s%s\n", "state",
	           stopped ? "stopped by this session" : state_words(info.state));
	if (info.tracer != 0 && !stopped)
		out_format(out, "%-11sprocess %d\n", "traced by", (int)info.tracer);
	out_format(out, "%-11s%u\n%-11s%u\n", "user ID", (unsigned)info.uid, "threads",
	           info.threads);

	put_size(out, "RSS", info.vm_rss);
	put_size(out, "peak RSS", info.vm_hwm);
	put_size(out, "swap", info.vm_swap);
	put_size(out, "size", info.vm_size);

	return STATUS_OK;
}

enum status shell_target_info_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	enum status status = STATUS_OK;

	(void)argc;
	(void)argv;
	if (!shell->word)
		out_string(out, "nothing is attached; use 'attach TARGET' with a PID, a process "
		                "name or a file\n");
	else if (!shell->target.process)
		out_format(out, "%-11s%s\n%-11s%s\n", "file", shell->word, "what",
		           file_words(&shell->target));
	else
		status = print_process(shell, out);

	size_t hits = results_hit_count(shell->results);
	size_t regions = results_region_count(shell->results);
	out_format(out, "%-11s%zu hit%s, %zu region%s\n", "numbered", hits, text_plural(hits),
	           regions, text_plural(regions));

	return status;
}
