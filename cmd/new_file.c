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
	struct stat status;
	int cause = errno;
	if (cause == EISDIR)
		return pm_error_set(error, PM_ERROR_IO, cause, "cannot write %s: it is a directory; name a file in it", path);
	/* open(2) says of a socket: "No such device or address". */
	if (cause == ENXIO && stat(path, &status) == 0 && S_ISSOCK(status.st_mode))
		return pm_error_set(error, PM_ERROR_IO, cause, "cannot write %s: it is a socket; name a file or a pipe", path);
	return pm_error_set(error, PM_ERROR_IO, cause, "cannot write %s: %s", path, strerror(cause));
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

/** Whether a path names a descriptor that we were started with. Such names are links as well, but the kernel's. */
static bool is_own_descriptor(const char *path)
{
	static const char *const begins[] = { "/dev/std", "/dev/fd/", "/proc/self/fd/" };
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(path, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/** Starts on what is there and no regular file. What is written is secret: nobody else may have laid out a pipe for it. */
static int open_special(struct new_file *file, int follow)
{
	struct stat status;
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | follow);
	if (file->fd < 0)
		return -1;
	if (follow == 0 || fstat(file->fd, &status) < 0 || !S_ISFIFO(status.st_mode) || status.st_uid == geteuid() || status.st_uid == 0)
		return 0;
	close(file->fd);
	file->fd = -1;
	errno = EPERM;
	return -1;
}

int new_file_open(struct new_file *file, const char *path, struct pm_error *error)
{
	struct stat status;
	bool own = is_own_descriptor(path), exists = lstat(path, &status) == 0;
	*file = (struct new_file){ .fd = -1 };
	if (exists && S_ISLNK(status.st_mode) && !own)
		return pm_error_set(error, PM_ERROR_IO, ELOOP, "cannot write %s: it is a symbolic link; name the file itself", path);
	file->path = strdup(path);
	if (!file->path)
		return failed(path, error);
	if (exists && !S_ISREG(status.st_mode)) {
		if (open_special(file, own ? 0 : O_NOFOLLOW) == 0)
			return 0;
	} else {
		file->temporary = temporary_name(file->path);
		file->fd = mkostemp(file->temporary, O_CLOEXEC);
		if (file->fd >= 0)
			return 0;
	}
	failed(path, error);
	free(file->temporary);
	file->temporary = NULL;
	new_file_drop(file);
	return -1;
}

static int give_name(const struct new_file *file)
{
	if (!file->only_new)
		return rename(file->temporary, file->path);
	/* Not all file systems can rename so; those of Windows know no second name. */
	if (renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_NOREPLACE) == 0)
		return 0;
	return errno == EINVAL && link(file->temporary, file->path) == 0 ? unlink(file->temporary) : -1;
}

int new_file_keep(struct new_file *file, struct pm_error *error)
{
	int fd = file->fd;
	file->fd = -1;
	/* Some file systems tell of a full disk at the very end. */
	if (close(fd) < 0 || (file->temporary && give_name(file) < 0)) {
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
