/* SPDX-License-Identifier: MIT */
#include "shell/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/report.h"
#include "base/text.h"

/* Maximum number of lines that are stored. */
enum { LINES_MAX = 1000 };

/**
 * Path of the file; NULL if no file is used. It is global because the history of readline is
 * global.
 */
static char *history_path;

/** Makes the directories of a path, readable only by their owner. @return 0 or -1 */
static int make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int made = mkdir(path, 0700);
		*slash = '/';

		if (made < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

/**
 * Makes the path of the file from the environment.
 * @return the path; NULL if there is none; release it with free()
 */
static char *make_path(void)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	struct text path = { 0 };

	/* The XDG base directory specification says to ignore relative paths. */
	if (state && state[0] == '/')
		text_format(&path, "%s/procmem/history", state);
	else if (home && home[0] == '/')
		text_format(&path, "%s/.local/state/procmem/history", home);

	if (path.length == 0)
		return NULL;

	text_terminate(&path);
	return path.bytes;
}

void shell_history_start(void)
{
	using_history();
	stifle_history(LINES_MAX);

	history_path = make_path();
	if (history_path)
		read_history(history_path);
}

/** Appends a line to the file, which is created if it does not exist. Failures are ignored. */
static void append(const char *line)
{
	if (!history_path || make_directories(history_path) < 0)
		return;

	int fd = open(history_path,
	              O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

	if (fd < 0)
		return;

	if (dprintf(fd, "%s\n", line) < 0)
		errno = 0;
	close(fd);
}

void shell_history_add(const char *line)
{
	const HIST_ENTRY *last = NULL;

	if (line[0] == ' ' || line[0] == '\t' || line[strspn(line, " \t")] == '\0')
		return;

	if (history_length > 0)
		last = history_get(history_base + history_length - 1);
	if (last && strcmp(last->line, line) == 0)
		return;

	add_history(line);
	append(line);
}

void shell_history_end(void)
{
	struct stat status;

	/* Truncate the history only if it is a regular file; do not follow a symbolic link. */
	if (history_path && lstat(history_path, &status) == 0 && S_ISREG(status.st_mode))
		history_truncate_file(history_path, LINES_MAX);

	free(history_path);
	history_path = NULL;
	clear_history();
}

enum status shell_history_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	uint64_t max = UINT64_MAX;
	struct pm_error error;
	int first = 0;

	(void)shell;
	if (argc > 2 || (argc == 2 && pm_parse_decimal(argv[1], UINT64_MAX, &max, &error) < 0)) {
		report_error("'history' takes at most one argument: the number of lines to list");
		return STATUS_ERROR;
	}

	HIST_ENTRY **entries = history_list();

	if (history_length > 0 && max < (uint64_t)history_length)
		first = history_length - (int)max;

	for (int i = first; entries && i < history_length; i++) {
		out_format(out, "%5d  ", history_base + i);
		out_escaped(out, entries[i]->line);
		out_string(out, "\n");
	}

	return STATUS_OK;
}
