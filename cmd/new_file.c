/* SPDX-License-Identifier: MIT */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

static int failed(const char *path, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_IO, errno, "cannot write %s: %s", path, strerror(errno));
}

/** A name beside a path, for mkstemp(3). */
static char *temporary_name(const char *path)
{
	struct text name = { 0 };
	const char *slash = strrchr(path, '/');
	size_t directory = slash ? (size_t)(slash - path) + 1 : 0;
	text_bytes(&name, path, directory);
	text_format(&name, ".%s.XXXXXX", path + directory);
	text_terminate(&name);
	return name.bytes;
}

int new_file_open(struct new_file *file, const char *path, struct pm_error *error)
{
	struct stat status;
	bool exists = stat(path, &status) == 0;
	*file = (struct new_file){ .fd = -1 };
	/* A link stays one: the file that it names is replaced. */
	file->path = exists ? realpath(path, NULL) : strdup(path);
	if (!file->path)
		return failed(path, error);
	if (exists && !S_ISREG(status.st_mode)) {
		file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else {
		file->temporary = temporary_name(file->path);
		file->fd = mkostemp(file->temporary, O_CLOEXEC);
	}
	if (file->fd >= 0)
		return 0;
	failed(path, error);
	free(file->temporary);
	file->temporary = NULL;
	new_file_drop(file);
	return -1;
}

int new_file_keep(struct new_file *file, struct pm_error *error)
{
	int fd = file->fd;
	file->fd = -1;
	/* Some file systems tell of a full disk at the very end. */
	if (close(fd) < 0 || (file->temporary && rename(file->temporary, file->path) < 0)) {
		failed(file->path, error);
		new_file_drop(file);
		return -1;
	}
	free(file->temporary);
	file->temporary = NULL;
	new_file_drop(file);
	return 0;
}

void new_file_drop(struct new_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct new_file){ .fd = -1 };
}
