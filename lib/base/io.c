/* SPDX-License-Identifier: MIT */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

bool pm_errno_is_ours(int cause)
{
	return cause == ENOMEM || cause == EMFILE || cause == ENFILE;
}

int pm_open_regular(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return -1;

	/* O_NONBLOCK and O_NOCTTY, in case that another file has replaced the regular file. */
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

ssize_t pm_read(int fd, void *buffer, size_t size)
{
	ssize_t got;
	do
		got = read(fd, buffer, size);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t pm_pread(int fd, void *buffer, size_t size, uint64_t offset)
{
	ssize_t got;
	do
		got = pread(fd, buffer, size, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got;
}

int pm_read_failed(struct pm_error *error)
{
	int cause = errno;
	if (cause == ESRCH)
		return pm_error_set(error, PM_ERROR_GONE, cause,
		                    "the process ended while it was being read");
	return pm_error_set(error, PM_ERROR_IO, cause, "reading failed: %s", strerror(cause));
}

int pm_read_all(int fd, size_t max, char **text, size_t *length, struct pm_error *error)
{
	char *bytes = NULL;
	size_t capacity = 0, filled = 0;
	for (;;) {
		if (pm_array_reserve(&bytes, &capacity, filled, 4096, 1, error) < 0)
			goto fail;

		ssize_t got = pm_read(fd, bytes + filled, capacity - filled - 1);
		if (got < 0) {
			pm_read_failed(error);
			goto fail;
		}
		if (got == 0)
			break;

		filled += (size_t)got;
		if (filled > max) {
			pm_error_set(error, PM_ERROR_FORMAT, 0,
			             "the file is longer than the limit of %zu bytes", max);
			goto fail;
		}
	}

	bytes[filled] = '\0';
	*text = bytes;
	if (length)
		*length = filled;
	return 0;

fail:
	free(bytes);
	return -1;
}
