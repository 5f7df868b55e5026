/* SPDX-License-Identifier: MIT */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static int failed(const char *path, struct pm_error *error)
{
	struct stat status;
	int cause = errno;
	if (cause == EISDIR)
		return pm_error_set(error, PM_ERROR_IO, cause,
		                    "cannot write %s: it is a directory; name a file in it", path);

	/* open(2) says of a socket: "No such device or address". */
	if (cause == ENXIO && stat(path, &status) == 0 && S_ISSOCK(status.st_mode))
		return pm_error_set(error, PM_ERROR_IO, cause,
		                    "cannot write %s: it is a socket; name a file or a pipe", path);

	return pm_error_set(error, PM_ERROR_IO, cause, "cannot write %s: %s", path,
	                    strerror(cause));
}

/** Bytes of a path up to its last slash, with it. */
static size_t directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

/** A name beside a path, for mkstemp(3). */
static char *temporary_name(const char *path)
{
	struct text name = { 0 };
	size_t directory = directory_length(path);
	text_bytes(&name, path, directory);
	text_format(&name, ".%s.XXXXXX", path + directory);
	text_terminate(&name);
	return name.bytes;
}

/** Name of an open file, whether or not it has another one. */
struct link {
	char name[64];
};

static struct link link_to(int fd)
{
	struct link link;
	snprintf(link.name, sizeof link.name, "/proc/self/fd/%d", fd);
	return link;
}

/**
 * Makes a file without a name in the directory of a path: nothing is left of it if we are killed.
 * @return -1: that cannot be had
 */
static int open_nameless(const char *path)
{
	struct text directory = { 0 };
	size_t length = directory_length(path);
	text_bytes(&directory, length > 0 ? path : ".", length > 0 ? length : 1);

	int fd = open(text_terminate(&directory), O_TMPFILE | O_RDWR | O_CLOEXEC,
	              S_IRUSR | S_IWUSR);
	text_deinit(&directory);

	/* Without /proc, as in the root of somebody who looks at a core file, it would never get a
	 * name. */
	if (fd >= 0 && access(link_to(fd).name, F_OK) < 0) {
		close(fd);
		fd = -1;
	}

	return fd;
}

/** Starts on a regular file. */
static int open_regular(struct new_file *file)
{
	file->temporary = temporary_name(file->path);
	file->fd = open_nameless(file->path);
	file->nameless = file->fd >= 0;
	if (!file->nameless)
		file->fd = mkostemp(file->temporary, O_CLOEXEC);
	return file->fd >= 0 ? 0 : -1;
}

/**
 * Whether a path names a descriptor that we were started with. Such names are links as well, but
 * the kernel's.
 */
static bool is_own_descriptor(const char *path)
{
	static const char *const begins[] = { "/dev/std", "/dev/fd/", "/proc/self/fd/" };
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(path, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/**
 * Starts on what is there and no regular file. What is written is secret: nobody else may have laid
 * out a pipe for it.
 */
static int open_special(struct new_file *file, int follow)
{
	struct stat status;
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | follow);
	if (file->fd < 0)
		return -1;
	if (follow == 0 || fstat(file->fd, &status) < 0 || !S_ISFIFO(status.st_mode) ||
	    status.st_uid == geteuid() || status.st_uid == 0)
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
		return pm_error_set(error, PM_ERROR_IO, ELOOP,
		                    "cannot write %s: it is a symbolic link; name the file itself",
		                    path);

	file->path = strdup(path);
	if (!file->path)
		return failed(path, error);

	if (exists && !S_ISREG(status.st_mode)) {
		if (open_special(file, own ? 0 : O_NOFOLLOW) == 0)
			return 0;
	} else if (open_regular(file) == 0)
		return 0;

	failed(path, error);
	free(file->temporary);
	file->temporary = NULL;
	new_file_drop(file);

	return -1;
}

/** Gives a nameless file a name that nothing has. */
static int link_as(const struct new_file *file, const char *name)
{
	return linkat(AT_FDCWD, link_to(file->fd).name, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/** Gives a nameless file the temporary name, which must be a new one. */
static int link_temporarily(struct new_file *file)
{
	int reserved = mkostemp(file->temporary, O_CLOEXEC);
	if (reserved < 0)
		return -1;

	close(reserved);
	if (unlink(file->temporary) < 0 || link_as(file, file->temporary) < 0)
		return -1;

	file->nameless = false;
	return 0;
}

static int give_name(struct new_file *file)
{
	if (file->nameless) {
		if (link_as(file, file->path) == 0)
			return 0;
		if (file->only_new || errno != EEXIST || link_temporarily(file) < 0)
			return -1;
	}

	if (!file->only_new)
		return rename(file->temporary, file->path);
	/* Not all file systems can rename so; those of Windows know no second name. */
	if (renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_NOREPLACE) == 0)
		return 0;

	return errno == EINVAL && link(file->temporary, file->path) == 0 ? unlink(file->temporary)
	                                                                 : -1;
}

/**
 * Some file systems tell of a full disk when a descriptor is closed: that must be known before
 * there is a name.
 */
static int flush(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? -1 : close(copy);
}

int new_file_keep(struct new_file *file, struct pm_error *error)
{
	if (flush(file->fd) < 0 || (file->temporary && give_name(file) < 0)) {
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
	if (file->temporary && !file->nameless)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct new_file){ .fd = -1 };
}
