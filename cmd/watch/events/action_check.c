/* SPDX-License-Identifier: MIT */
/**
 * @file Whether actions can be done: said at the start, and not hours later, when they are needed.
 */
#include "watch/events/action_check.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "watch/events/actions.h"

/** Whether there is a folder that a file can be made in. */
static int check_folder(const char *file, struct pm_error *error)
{
	const char *slash = strrchr(file, '/');
	size_t length = slash ? (size_t)(slash - file) : 0;
	/* It depends on what will be met, or is there anyway. */
	if (length == 0 || memchr(file, '%', length))
		return 0;

	struct text folder = { 0 };
	struct stat found;
	text_bytes(&folder, file, length);

	int status = 0;
	if (stat(text_terminate(&folder), &found) < 0)
		status = pm_error_set(error, PM_ERROR_USAGE, errno, "%s cannot be written: %s: %s",
		                      file, folder.bytes, strerror(errno));
	else if (!S_ISDIR(found.st_mode))
		status = pm_error_set(error, PM_ERROR_USAGE, 0,
		                      "%s cannot be written: %s is no folder", file, folder.bytes);

	text_deinit(&folder);
	return status;
}

int action_check(const struct action *action, struct pm_error *error)
{
	const char *file = action->argument;
	struct stat found;

	if (action->kind != ACTION_SNAP && action->kind != ACTION_DUMP)
		return 0;
	if (check_folder(file, error) < 0)
		return -1;

	/* A dump leaves a file that is there as it is, and takes another name. */
	if (action->kind == ACTION_DUMP || strchr(file, '%') || lstat(file, &found) < 0)
		return 0;
	if (S_ISLNK(found.st_mode))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s cannot be written: it is a symbolic link", file);
	if (!S_ISREG(found.st_mode) || (found.st_size > 0 && !pm_recording_is(file)))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is there already, and no recording", file);

	return 0;
}

/**
 * The name of a file where only the process decides about it: %p and %% are filled in.
 * @return false: more than that varies
 */
static bool put_known_file(struct text *name, const char *file, pid_t pid)
{
	for (const char *at = file; *at; at++) {
		if (*at != '%')
			text_char(name, *at);
		else if (*++at == 'p')
			text_decimal(name, (uint64_t)pid);
		else if (*at == '%')
			text_char(name, '%');
		else
			return false;
	}

	return true;
}

/** Whether a recording is one of this process. */
static int check_recording(const char *file, const struct pm_process_id *run,
                           struct pm_error *error)
{
	struct pm_recording *recording;
	int status = 0;

	if (pm_recording_open(file, &recording, error) < 0)
		return -1;

	const struct pm_process_id *stored = pm_recording_process_id(recording);
	if (!pm_process_id_equal(stored, run))
		status = pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"%s is a recording of another process (%s, PID %d): choose another file",
			file, stored->comm, (int)stored->pid);

	pm_recording_close(recording);
	return status;
}

int action_check_run(const struct action *action, const struct pm_process_id *run,
                     struct pm_error *error)
{
	struct text name = { 0 };
	bool known = action->kind == ACTION_SNAP &&
	             put_known_file(&name, action->argument, run->pid);
	int status = known && pm_recording_is(text_terminate(&name))
	                     ? check_recording(name.bytes, run, error)
	                     : 0;

	text_deinit(&name);
	return status;
}
