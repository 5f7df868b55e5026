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

#include "base/alloc.h"
#include "base/text.h"

/* Lines that are kept. */
enum { LINES_MAX = 1000 };

/** The file, NULL for none. As the history itself, which readline keeps, there is one of it. */
static char *history_path;

/**
 * Makes a directory for us alone, and those above it.
 * @return 0, -1 where that fails
 */
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
 * The file's name.
 * @return NULL where the surroundings do not say; for free()
 */
static char *make_path(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct text path = { 0 };
	/* The XDG base directory specification: relative ones are to be ignored. */
	if (state && state[0] == '/')
		text_format(&path, "%s/procmem/history", state);
	else if (home && home[0] == '/')
		text_format(&path, "%s/.local/state/procmem/history", home);

	char *made = path.length > 0 ? alloc_string(text_terminate(&path)) : NULL;
	text_deinit(&path);

	return made;
}

void shell_history_start(void)
{
	using_history();
	stifle_history(LINES_MAX);
	history_path = make_path();
	if (history_path)
		read_history(history_path);
}

/**
 * Appends to the file, which is made where it is missing. What cannot be kept is no reason to
 * disturb a session.
 */
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
	if (line[0] == ' ' || line[0] == '\t' || line[strspn(line, " \t")] == '\0')
		return;

	const HIST_ENTRY *last = history_length > 0 ? history_get(history_base + history_length - 1)
	                                            : NULL;
	if (last && strcmp(last->line, line) == 0)
		return;

	add_history(line);
	append(line);
}

void shell_history_end(void)
{
	struct stat status;
	/* Only what is ours, and a file. */
	if (history_path && lstat(history_path, &status) == 0 && S_ISREG(status.st_mode))
		history_truncate_file(history_path, LINES_MAX);
	free(history_path);
	history_path = NULL;
	clear_history();
}
