/* SPDX-License-Identifier: MIT */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <procmem/core.h>
#include <procmem/process_find.h>
#include <procmem/process_list.h>
#include <procmem/recording.h>

#include "base/name_filter.h"
#include "base/text.h"
#include "target/target_hint.h"

/**
 * Parses "/proc/PID", "/proc/PID/smaps" or "/proc/PID/maps". These words refer to the process, not
 * to a saved file.
 *
 * @param pid  receives the digits of the PID
 * @return     false if the word has another form
 */
static bool parse_proc_path(const char *word, struct text *pid)
{
	static const char proc[] = "/proc/";
	if (strncmp(word, proc, sizeof proc - 1) != 0)
		return false;

	const char *number = word + sizeof proc - 1;
	size_t digits = strspn(number, "0123456789");
	const char *rest = number + digits;
	if (digits == 0 || (*rest && strcmp(rest, "/") != 0 && strcmp(rest, "/smaps") != 0 &&
	                    strcmp(rest, "/maps") != 0))
		return false;

	text_bytes(pid, number, digits);
	return true;
}

/** The processes that `procmem ps WORD` lists. */
struct matching {
	size_t count;            /**< number of processes */
	pid_t pid;               /**< PID of the last process that was found */
	char comm[PM_COMM_SIZE]; /**< command name of that process */
};

/** Finds the processes that `procmem ps WORD` lists. */
static struct matching find_matching(const char *word)
{
	struct pm_process_list processes = { 0 };
	struct name_filter filter;
	struct matching found = { 0 };

	if (name_filter_init(&filter, word, NULL) < 0)
		return found;

	if (pm_process_list_read(&processes, NULL) < 0)
		processes.count = 0;
	for (size_t i = 0; i < processes.count; i++) {
		const struct pm_process_row *process = &processes.items[i];
		bool listed = !process->own && !process->kernel_thread;
		if (!listed || (!name_filter_fits(&filter, process->comm) &&
		                !name_filter_fits(&filter, process->command)))
			continue;

		found.count++;
		found.pid = process->pid;
		snprintf(found.comm, sizeof found.comm, "%s", process->comm);
	}

	pm_process_list_deinit(&processes);
	name_filter_deinit(&filter);

	return found;
}

/**
 * If `procmem ps WORD` lists processes by their command lines, changes the error to say so. A
 * single process is named.
 */
static void hint_at_command_lines(const char *word, struct pm_error *error)
{
	struct matching found = find_matching(word);
	if (found.count == 1)
		pm_error_set(
			error, error->kind, error->os_errno,
			"no process is called '%.64s'; did you mean process %d (%s), which has "
			"this word in its command line?",
			word, (int)found.pid, found.comm);
	else if (found.count > 1)
		pm_error_set(error, error->kind, error->os_errno,
		             "no process is called '%.64s', but %zu processes have this word in "
		             "their command lines: 'procmem ps %.64s' lists them",
		             word, found.count, word);
}

static int find(const char *word, pid_t *pid, struct pm_error *error)
{
	struct text number = { 0 };
	if (parse_proc_path(word, &number))
		word = text_terminate(&number);

	/* A word that is also the name of a file means a process only if the name of the process
	 * is equal to the word. */
	int result;
	if (access(word, F_OK) == 0)
		result = pm_process_find_exact(word, pid, error);
	else
		result = pm_process_find(word, pid, error);

	text_deinit(&number);
	return result;
}

/**
 * Returns whether a directory contains a regular file `name`. If `name` is empty, returns whether
 * `directory` itself is a regular file.
 */
static bool is_file(const char *directory, const char *name)
{
	struct text path = { 0 };
	struct stat status;

	text_format(&path, "%s%s%s", directory, *name ? "/" : "", name);
	bool found = stat(text_terminate(&path), &status) == 0 && S_ISREG(status.st_mode);
	text_deinit(&path);
	return found;
}

/** A word that is a number is always a PID, never a file. */
static bool is_number(const char *word)
{
	return word[strspn(word, "0123456789")] == '\0';
}

/**
 * If the word names a file or a directory that is neither a recording nor a core file, changes the
 * error to say so.
 */
static void hint_at_other_file(const char *word, struct pm_error *error)
{
	if (target_hint_compressed(word, error))
		return;
	if (is_file(word, "") && !is_number(word))
		pm_error_set(error, error->kind, 0,
		             "%s is a file, not a living process, and is neither a recording nor a "
		             "core file: if it is a saved smaps or maps file, read it with "
		             "'procmem map' or 'procmem diff'",
		             word);
	else if (strchr(word, '/') && access(word, F_OK) == 0)
		pm_error_set(error, error->kind, 0,
		             "%s is not a living process: 'procmem map' and 'procmem diff' read "
		             "saved smaps and maps files, and directories that contain them",
		             word);
}

/**
 * If the word names a file and not a process, changes the error to say what the file is and which
 * commands read it.
 */
static void hint_at_file(const char *word, struct pm_error *error)
{
	const char *which;
	char *recording = target_recording(word, &which);
	bool is_core = !recording && pm_core_is_one(word);

	if (recording)
		pm_error_set(error, error->kind, 0,
		             "%s is a recording, not a living process: read it with 'procmem map', "
		             "'procmem diff' or 'procmem watch %s'",
		             word, recording);
	else if (is_core)
		pm_error_set(error, error->kind, 0,
		             "%s is a core file, not a living process: read it with 'procmem map', "
		             "'dump', 'strings' or 'grep'",
		             word);
	else if (access(word, F_OK) == 0 && access(word, R_OK) < 0)
		pm_error_set(error, error->kind, 0, "cannot open %s: %s", word, strerror(errno));
	else
		hint_at_other_file(word, error);

	free(recording);
}

/** Adds hints to an error of find(): what else the word could refer to. */
static void add_hints(const char *word, struct pm_error *error)
{
	if (error && error->kind == PM_ERROR_AMBIGUOUS)
		target_hint_several(word, error);
	if (!error || error->kind != PM_ERROR_NOT_FOUND)
		return;

	bool is_name = word[strspn(word, "0123456789/")] != '\0' && word[0] != '/';
	if (is_name)
		hint_at_command_lines(word, error);
	hint_at_file(word, error);
	if (is_name)
		target_hint_killed(word, error);
}

int target_open_process(struct target *target, const char *word, struct pm_error *error)
{
	pid_t pid;
	struct pm_process *process;

	if (find(word, &pid, error) < 0) {
		add_hints(word, error);
		return -1;
	}
	if (pm_process_open(NULL, pid, &process, error) < 0)
		return -1;

	*target = (struct target){ .word = word, .process = process };
	return 0;
}

int target_check_start(const struct target *target, uint64_t start_ticks, struct pm_error *error)
{
	struct pm_process_info info;

	if (start_ticks == 0 || !target->process)
		return 0;
	if (pm_process_read_info(target->process, &info, error) < 0)
		return -1;
	if (info.start_ticks == start_ticks)
		return 0;

	return pm_error_set(error, PM_ERROR_GONE, ESRCH,
	                    "process %d exited, and its PID belongs to another process now",
	                    (int)info.pid);
}

/**
 * Returns whether a word without a slash names a saved smaps or maps file, or a directory that
 * contains such files. A number is always a PID, never a file.
 */
static bool is_saved(const char *word)
{
	if (is_number(word))
		return false;
	return is_file(word, "") || is_file(word, "smaps") || is_file(word, "maps") ||
	       is_file(word, "smaps.gz") || is_file(word, "maps.gz");
}

char *target_recording(const char *word, const char **which)
{
	const char *at = strrchr(word, '@');

	*which = "last";
	if (pm_recording_is(word))
		return strdup(word);
	if (!at)
		return NULL;

	char *path = strndup(word, (size_t)(at - word));
	if (path && pm_recording_is(path)) {
		*which = at + 1;
		return path;
	}

	free(path);
	return NULL;
}

/** Makes a target that is a file. */
static struct target file_target(const char *word)
{
	const char *which;
	char *recording = target_recording(word, &which);
	struct target target = { .word = word, .path = word, .recording = recording != NULL };
	free(recording);
	return target;
}

/**
 * Opens the target of a word that is not a path: the process with this name or PID or, if there is
 * no such process, the file.
 */
static int open_word(struct target *target, const char *word, struct pm_error *error)
{
	struct pm_error failure;

	if (target_open_process(target, word, &failure) == 0)
		return 0;

	if (failure.kind == PM_ERROR_NOT_FOUND) {
		struct target file = file_target(word);
		if (file.recording || is_saved(word)) {
			*target = file;
			return 0;
		}

		/* Mention files if the word contains `.` or `@`: such a word is more likely to
		 * be a file or a recording than a process name. */
		if (strpbrk(word, ".@") && access(word, F_OK) < 0)
			pm_error_prefix(&failure, "there is no such file, and ");
	}

	if (error)
		*error = failure;
	return -1;
}

int target_open(struct target *target, const char *word, struct pm_error *error)
{
	struct text number = { 0 };

	if (strcmp(word, "-") == 0) {
		*target = (struct target){ .word = word, .path = "/dev/stdin" };
		return 0;
	}

	bool is_path = strchr(word, '/') && !parse_proc_path(word, &number);
	text_deinit(&number);
	if (!is_path)
		return open_word(target, word, error);

	*target = file_target(word);
	return 0;
}

void target_close(struct target *target)
{
	pm_process_close(target->process);
	target->process = NULL;
}
