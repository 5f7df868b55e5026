/* SPDX-License-Identifier: MIT */
/*
 * Parses and checks the actions of --do. An action may run only after hours. Therefore everything
 * that would make it fail, and that can be known at the start, is checked at the start.
 */
#include "watch/events/action.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <procmem/recording.h>

#include "base/text.h"

static const char *const names[ACTION_KINDS] = { "exit", "exec", "snap", "dump", "why" };

const char *action_name(enum action_kind kind)
{
	return names[kind];
}

static bool has_file(enum action_kind kind)
{
	return kind == ACTION_SNAP || kind == ACTION_DUMP || kind == ACTION_WHY;
}

/** Checks the placeholders in the name of a file. */
static int check_placeholders(const char *file, struct pm_error *error)
{
	for (const char *at = strchr(file, '%'); at; at = strchr(at + 2, '%'))
		if (at[1] == '\0' || !strchr("pntka%", at[1]))
			return pm_error_set(
				error, PM_ERROR_USAGE, 0,
				"unknown placeholder '%.2s': use %%p (PID), %%n "
				"(number of the event), %%t (time), %%k (kind), %%a (address) or "
				"%%%%",
				at);
	return 0;
}

/** Finds the kind of an action by the word before the colon. */
static bool find_kind(const char *text, enum action_kind *kind)
{
	size_t length = strcspn(text, ":");

	for (int i = 0; i < ACTION_KINDS; i++) {
		if (strlen(names[i]) == length && strncmp(text, names[i], length) == 0) {
			*kind = (enum action_kind)i;
			return true;
		}
	}

	return false;
}

int action_parse(struct action *action, const char *text, struct pm_error *error)
{
	const char *colon = strchr(text, ':'), *argument = colon ? colon + 1 : "";
	enum action_kind kind;

	if (!find_kind(text, &kind))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "unknown action '%s': use exit, exec:COMMAND, snap:FILE, "
		                    "dump:FILE or why:FILE",
		                    text);
	if (kind == ACTION_EXIT && colon)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'exit' takes no argument");
	if (kind != ACTION_EXIT && !*argument)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' needs an argument: %s:%s", text,
		                    names[kind], kind == ACTION_EXEC ? "COMMAND" : "FILE");
	if (has_file(kind) && check_placeholders(argument, error) < 0)
		return -1;

	*action = (struct action){ kind, argument };
	return 0;
}

/** Checks that the folder of a file exists. */
static int check_folder(const char *file, struct pm_error *error)
{
	const char *slash = strrchr(file, '/');
	size_t length = slash ? (size_t)(slash - file) : 0;

	/* Do not check the current folder and the root folder, which exist, nor a folder whose name
	 * depends on the event. */
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
		                      "%s cannot be written: %s is not a directory", file,
		                      folder.bytes);

	text_deinit(&folder);
	return status;
}

int action_check(const struct action *action, struct pm_error *error)
{
	const char *file = action->argument;
	struct stat found;

	if (!has_file(action->kind))
		return 0;
	if (check_folder(file, error) < 0)
		return -1;

	/* Dumps and findings never overwrite an existing file: a name is chosen that no file has.
	 * The file of `snap` cannot be checked if its name depends on the event, or if it does not
	 * exist yet. */
	if (action->kind != ACTION_SNAP || strchr(file, '%') || lstat(file, &found) < 0)
		return 0;
	if (S_ISLNK(found.st_mode))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s cannot be written: it is a symbolic link; give the path of "
		                    "the file it points to",
		                    file);
	if (!S_ISREG(found.st_mode) || (found.st_size > 0 && !pm_recording_is(file)))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s exists already, and is not a recording; use another file",
		                    file);

	return 0;
}

/**
 * Replaces the placeholders in the name of a file, if these are only %p and %%.
 * @return false if the name has other placeholders
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

/** Checks that a recording is of the process that is watched. */
static int check_recording(const char *file, const struct pm_process_id *process,
                           struct pm_error *error)
{
	struct pm_recording *recording;
	int status = 0;

	if (pm_recording_open(file, &recording, error) < 0)
		return -1;

	const struct pm_process_id *stored = pm_recording_process_id(recording);
	if (!pm_process_id_equal(stored, process))
		status = pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"%s is a recording of another process (%s, PID %d): choose another file",
			file, stored->comm, (int)stored->pid);

	pm_recording_close(recording);
	return status;
}

int action_check_process(const struct action *action, const struct pm_process_id *process,
                         struct pm_error *error)
{
	struct text name = { 0 };
	int status = 0;

	if (action->kind == ACTION_SNAP && put_known_file(&name, action->argument, process->pid) &&
	    pm_recording_is(text_terminate(&name)))
		status = check_recording(name.bytes, process, error);

	text_deinit(&name);
	return status;
}
