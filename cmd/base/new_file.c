/* SPDX-License-Identifier: MIT */
/*
 * Files that get their name when they are complete. The contents are written to a file without a
 * name (O_TMPFILE of open(2)), or to a temporary name beside the final one where the file system
 * does not support that. Linking a file without a name requires /proc. A temporary name is removed
 * if a signal ends the program, except SIGKILL.
 */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/report.h"
#include "base/temporary_names.h"
#include "base/text.h"

/**
 * Sets `error` to errno, with a text that explains the failure to open or write `path`. @return -1
 */
static int set_error(const char *path, struct pm_error *error)
{
	struct stat status;
	int cause = errno;

	if (cause == EISDIR)
		return pm_error_set(error, PM_ERROR_IO, cause,
		                    "cannot write %s: it is a directory; name a file in it", path);

	if (cause == EINTR)
		return pm_error_set(error, PM_ERROR_CANCELLED, cause,
		                    "interrupted while no program read the named pipe %s", path);

	/* Replace the text of ENXIO ("No such device or address"), with which open(2) fails for
	 * a socket. */
	if (cause == ENXIO && stat(path, &status) == 0 && S_ISSOCK(status.st_mode))
		return pm_error_set(error, PM_ERROR_IO, cause,
		                    "cannot write %s: it is a socket; name a file or a pipe", path);

	if (cause == EPERM && lstat(path, &status) == 0 && S_ISFIFO(status.st_mode))
		return pm_error_set(error, PM_ERROR_IO, cause,
		                    "cannot write %s: it is a named pipe of another user, who "
		                    "could read the contents; name a pipe of your own, or a file",
		                    path);

	return pm_error_set(error, PM_ERROR_IO, cause, "cannot write %s: %s", path,
	                    strerror(cause));
}

/** Returns the number of bytes of a path up to and including its last slash. */
static size_t directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

/** Makes a template for mkstemp(3) in the directory of a path. */
static char *temporary_name(const char *path)
{
	struct text name = { 0 };
	size_t directory = directory_length(path);

	text_bytes(&name, path, directory);
	text_format(&name, ".%s.XXXXXX", path + directory);
	text_terminate(&name);

	return name.bytes;
}

/** The name of an open file in /proc/self/fd. It exists even if the file has no other name. */
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
 * Creates a file without a name in the directory of a path. The kernel deletes such a file if the
 * program is killed.
 * @return a descriptor, or -1 if the file system does not support such files or /proc is not
 *         available
 */
static int open_nameless(const char *path)
{
	struct text directory = { 0 };
	size_t length = directory_length(path);

	if (length > 0)
		text_bytes(&directory, path, length);
	else
		text_char(&directory, '.');

	int fd = open(text_terminate(&directory), O_TMPFILE | O_RDWR | O_CLOEXEC,
	              S_IRUSR | S_IWUSR);
	text_deinit(&directory);

	/* Without /proc, as in a chroot, the file could not be linked later. */
	if (fd >= 0 && access(link_to(fd).name, F_OK) < 0) {
		close(fd);
		fd = -1;
	}

	return fd;
}

/** Opens a new regular file. @return 0, or -1 with errno set */
static int open_regular(struct new_file *file)
{
	file->temporary = temporary_name(file->path);
	file->fd = open_nameless(file->path);
	file->nameless = file->fd >= 0;

	if (!file->nameless)
		file->fd = temporary_names_create(file->temporary);
	return file->fd >= 0 ? 0 : -1;
}

/**
 * Checks whether a path names a descriptor that the program was started with, such as /dev/stdout.
 * Such names are symbolic links into /proc, which the kernel resolves.
 */
static bool is_own_descriptor(const char *path)
{
	static const char *const prefixes[] = { "/dev/std", "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

/**
 * Tests whether an existing file may be written directly: a device, a socket or a named pipe. A
 * named pipe that belongs neither to the user nor to root is refused, because the contents that
 * will be written can be secret.
 */
static bool may_write(const struct stat *status)
{
	if (S_ISREG(status->st_mode) || S_ISLNK(status->st_mode))
		return false;
	return !S_ISFIFO(status->st_mode) || status->st_uid == geteuid() || status->st_uid == 0;
}

/**
 * Opens the file of an O_PATH descriptor for writing, even if the path now names another file.
 * Without /proc, as in a chroot, opens the path. Waits for the reader of a named pipe, and says so.
 * @param fifo  the file is a named pipe
 * @return a descriptor, or -1 with errno set
 */
static int reopen(int path_fd, const char *path, bool fifo)
{
	const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	const struct link link = link_to(path_fd);
	bool linked = access(link.name, F_OK) == 0;
	const char *name = linked ? link.name : path;
	int fd = open(name, flags | O_NONBLOCK | (linked ? 0 : O_NOFOLLOW));

	if (fd >= 0) {
		/* Only the call of open(2) must not wait. */
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
		return fd;
	}

	/* ENXIO: a named pipe without a reader, or a socket. */
	if (errno != ENXIO || !fifo)
		return -1;

	report_note("waiting until another program reads the named pipe %s", path);
	return open(name, flags | (linked ? 0 : O_NOFOLLOW));
}

/**
 * Opens an existing file that is not a regular one. The file is checked first, because opening a
 * named pipe for writing waits until another process reads it.
 * @return 0, or -1 with errno set: EPERM if the file may not be written directly
 */
static int open_special(struct new_file *file)
{
	struct stat status;
	int path_fd = open(file->path, O_PATH | O_CLOEXEC | O_NOFOLLOW);

	if (path_fd < 0)
		return -1;

	errno = EPERM;
	if (fstat(path_fd, &status) == 0 && may_write(&status))
		file->fd = reopen(path_fd, file->path, S_ISFIFO(status.st_mode));

	int cause = errno;
	close(path_fd);
	errno = cause;
	return file->fd < 0 ? -1 : 0;
}

/** Opens a descriptor that this program was started with, by its name. Returns 0 or -1. */
static int open_own(struct new_file *file)
{
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return file->fd < 0 ? -1 : 0;
}

int new_file_open(struct new_file *file, const char *path, struct pm_error *error)
{
	struct stat status;
	bool own = is_own_descriptor(path);
	bool exists = lstat(path, &status) == 0;

	*file = (struct new_file){ .fd = -1 };
	if (exists && S_ISLNK(status.st_mode) && !own)
		return pm_error_set(error, PM_ERROR_IO, ELOOP,
		                    "cannot write %s: it is a symbolic link; give the path of the "
		                    "file it points to",
		                    path);

	file->path = strdup(path);
	if (!file->path)
		return set_error(path, error);

	int opened;

	if (exists && !S_ISREG(status.st_mode) && own)
		opened = open_own(file);
	else if (exists && !S_ISREG(status.st_mode))
		opened = open_special(file);
	else
		opened = open_regular(file);
	if (opened == 0)
		return 0;

	set_error(path, error);
	free(file->temporary);
	file->temporary = NULL;
	new_file_drop(file);

	return -1;
}

/**
 * Links a file without a name to a name that must not exist yet.
 * @return 0, or -1 with errno set
 */
static int link_as(const struct new_file *file, const char *name)
{
	return linkat(AT_FDCWD, link_to(file->fd).name, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/** Links a file without a name to a new temporary name. @return 0, or -1 with errno set */
static int link_temporarily(struct new_file *file)
{
	int reserved = temporary_names_create(file->temporary);

	if (reserved < 0)
		return -1;

	close(reserved);
	if (unlink(file->temporary) < 0 || link_as(file, file->temporary) < 0)
		return -1;

	file->nameless = false;
	return 0;
}

/** Gives a file its final name. @return 0, or -1 with errno set */
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

	if (renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_NOREPLACE) == 0)
		return 0;

	/* Some file systems do not support RENAME_NOREPLACE (EINVAL). Most of these support
	 * link(2); file systems of Windows do not. */
	if (errno == EINVAL && link(file->temporary, file->path) == 0)
		return unlink(file->temporary);

	return -1;
}

/**
 * Duplicates the descriptor and closes the copy. Some file systems report a full disk only on
 * close(2), and this error must be known before the file gets its name.
 */
static int flush(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? -1 : close(copy);
}

int new_file_keep(struct new_file *file, struct pm_error *error)
{
	if (flush(file->fd) < 0 || (file->temporary && give_name(file) < 0)) {
		set_error(file->path, error);
		new_file_drop(file);
		return -1;
	}

	if (file->temporary)
		temporary_names_forget(file->temporary);
	free(file->temporary);
	file->temporary = NULL;
	new_file_drop(file);
	return 0;
}

void new_file_drop(struct new_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary && !file->nameless) {
		unlink(file->temporary);
		temporary_names_forget(file->temporary);
	}

	free(file->temporary);
	free(file->path);
	*file = (struct new_file){ .fd = -1 };
}
