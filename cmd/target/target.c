/* SPDX-License-Identifier: MIT */
#include "target/target.h"

#include <errno.h>
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

/**
 * The PID in "/proc/PID", with "/smaps" or "/maps" behind or not: whoever writes that means the
 * process.
 * @return false where it is none
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

/** How many processes `procmem ps WORD` lists. */
static size_t count_matching(const char *word)
{
	struct pm_process_list processes = { 0 };
	struct name_filter filter;
	size_t count = 0;

	if (name_filter_init(&filter, word, NULL) < 0)
		return 0;

	if (pm_process_list_read(&processes, NULL) < 0)
		processes.count = 0;
	for (size_t i = 0; i < processes.count; i++) {
		const struct pm_process_row *process = &processes.items[i];
		bool listed = !process->own && !process->kernel_thread;
		count += listed && (name_filter_fits(&filter, process->comm) ||
		                    name_filter_fits(&filter, process->command));
	}

	pm_process_list_deinit(&processes);
	name_filter_deinit(&filter);

	return count;
}

/** Tells of processes that have the word in their command lines only. */
static void hint_at_command_lines(const char *word, struct pm_error *error)
{
	size_t count = count_matching(word);
	if (count > 0)
		pm_error_set(error, error->kind, error->os_errno,
		             "no process is called '%.64s', but procmem ps %.64s finds %zu", word,
		             word, count);
}

static int find(const char *word, pid_t *pid, struct pm_error *error)
{
	struct text number = { 0 };
	bool is_path = parse_proc_path(word, &number);
	int result = pm_process_find(is_path ? text_terminate(&number) : word, pid, error);
	text_deinit(&number);
	return result;
}

/**
 * Says of a file that was named where only a process will do what it is, and which commands take
 * it.
 */
static void hint_at_file(const char *word, struct pm_error *error)
{
	const char *which;
	char *recording = target_recording(word, &which);
	bool is_core = !recording && pm_core_is_one(word);
	if (recording)
		pm_error_set(error, error->kind, 0,
		             "%s is a recording, not a living process: procmem map lists it, "
		             "procmem diff compares it, procmem watch %s goes over it",
		             word, recording);
	else if (is_core)
		pm_error_set(error, error->kind, 0,
		             "%s is a core file, not a living process: procmem map, dump, strings "
		             "and grep read it",
		             word);
	else if (access(word, F_OK) == 0 && access(word, R_OK) < 0)
		pm_error_set(error, error->kind, 0, "cannot open %s: %s", word, strerror(errno));
	else if (strchr(word, '/') && access(word, F_OK) == 0)
		pm_error_set(error, error->kind, 0,
		             "%s is a file, not a living process: procmem map and diff read it if "
		             "it is saved smaps",
		             word);

	free(recording);
}

int target_open_process(struct target *target, const char *word, struct pm_error *error)
{
	pid_t pid;
	struct pm_process *process;

	if (find(word, &pid, error) < 0) {
		if (error && error->kind == PM_ERROR_NOT_FOUND &&
		    word[strspn(word, "0123456789/")] != '\0' && word[0] != '/')
			hint_at_command_lines(word, error);
		if (error && error->kind == PM_ERROR_NOT_FOUND)
			hint_at_file(word, error);
		return -1;
	}

	if (pm_process_open(NULL, pid, &process, error) < 0)
		return -1;

	*target = (struct target){ .word = word, .process = process };
	return 0;
}

static bool is_file(const char *directory, const char *name)
{
	struct text path = { 0 };
	struct stat status;
	text_format(&path, "%s%s%s", directory, *name ? "/" : "", name);
	bool found = stat(text_terminate(&path), &status) == 0 && S_ISREG(status.st_mode);
	text_deinit(&path);
	return found;
}

/**
 * Whether a word without a slash names saved text: a file, or a directory that holds some. Numbers
 * are PIDs, whatever files there are.
 */
static bool is_saved(const char *word)
{
	if (word[strspn(word, "0123456789")] == '\0')
		return false;
	return is_file(word, "") || is_file(word, "smaps") || is_file(word, "maps");
}

char *target_recording(const char *word, const char **which)
{
	const char *at = strrchr(word, '@');
	*which = "last";
	if (pm_recording_is(word))
		return strdup(word);

	char *path = at ? strndup(word, (size_t)(at - word)) : NULL;
	if (path && pm_recording_is(path)) {
		*which = at + 1;
		return path;
	}

	free(path);
	return NULL;
}

/** A target that is a file. */
static struct target file_target(const char *word)
{
	const char *which;
	char *recording = target_recording(word, &which);
	struct target target = { .word = word, .path = word, .recording = recording != NULL };
	free(recording);
	return target;
}

int target_open(struct target *target, const char *word, struct pm_error *error)
{
	struct pm_error failure;
	struct text number = { 0 };

	if (strcmp(word, "-") == 0) {
		*target = (struct target){ .word = word, .path = "/dev/stdin" };
		return 0;
	}

	bool is_path = strchr(word, '/') && !parse_proc_path(word, &number);
	text_deinit(&number);
	if (is_path) {
		*target = file_target(word);
		return 0;
	}
	if (target_open_process(target, word, &failure) == 0)
		return 0;

	struct target file = failure.kind == PM_ERROR_NOT_FOUND ? file_target(word)
	                                                        : (struct target){ 0 };
	if (failure.kind == PM_ERROR_NOT_FOUND && (file.recording || is_saved(word))) {
		*target = file;
		return 0;
	}

	/* Programs are seldom called so, recordings and saved texts are. */
	if (failure.kind == PM_ERROR_NOT_FOUND && strpbrk(word, ".@") && access(word, F_OK) < 0)
		pm_error_prefix(&failure, "there is no such file, and ");
	if (error)
		*error = failure;
	return -1;
}

void target_close(struct target *target)
{
	pm_process_close(target->process);
	target->process = NULL;
}
