/* SPDX-License-Identifier: MIT */
#include "base/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* maps and smaps hand out about a page per read() however big the buffer is; files on a disk fill it. */
enum { READ_SIZE = 64 * 1024 };

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

static int read_error(struct pm_error *error)
{
	int cause = errno;
	if (cause == ESRCH)
		return pm_error_set(error, PM_ERROR_GONE, cause, "the process ended while it was being read");
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
			read_error(error);
			goto fail;
		}
		if (got == 0)
			break;
		filled += (size_t)got;
		if (filled > max) {
			pm_error_set(error, PM_ERROR_FORMAT, 0, "the file is longer than %zu bytes", max);
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

int pm_lines_init(struct pm_lines *lines, int fd, struct pm_error *error)
{
	*lines = (struct pm_lines){ .fd = fd };
	return pm_array_reserve(&lines->buffer, &lines->capacity, 0, READ_SIZE, 1, error);
}

void pm_lines_deinit(struct pm_lines *lines)
{
	free(lines->buffer);
	lines->buffer = NULL;
}

/** Reads more bytes behind the unfinished line, which moves to the front. @return 1: some came; 0: the end; -1: an error */
static int read_more(struct pm_lines *lines, struct pm_error *error)
{
	size_t rest = lines->filled - lines->begin;
	memmove(lines->buffer, lines->buffer + lines->begin, rest);
	lines->begin = 0;
	lines->filled = rest;
	if (rest >= PM_LINE_MAX)
		return pm_error_set(error, PM_ERROR_FORMAT, 0, "line %llu is longer than %d bytes", (unsigned long long)lines->number + 1,
		                    (int)PM_LINE_MAX);
	if (pm_array_reserve(&lines->buffer, &lines->capacity, rest, READ_SIZE, 1, error) < 0)
		return -1;
	ssize_t got = pm_read(lines->fd, lines->buffer + rest, lines->capacity - rest);
	if (got < 0)
		return read_error(error);
	lines->filled += (size_t)got;
	return got > 0;
}

int pm_lines_next(struct pm_lines *lines, char **line, size_t *length, struct pm_error *error)
{
	size_t searched = 0;
	for (;;) {
		char *begin = lines->buffer + lines->begin;
		size_t rest = lines->filled - lines->begin;
		char *newline = memchr(begin + searched, '\n', rest - searched);
		if (newline) {
			lines->number++;
			if (memchr(begin, '\0', (size_t)(newline - begin)))
				return pm_error_set(error, PM_ERROR_FORMAT, 0, "line %llu holds a NUL byte: it is no text", (unsigned long long)lines->number);
			*newline = '\0';
			*line = begin;
			*length = (size_t)(newline - begin);
			lines->begin += *length + 1;
			return 1;
		}
		searched = rest;
		int more = lines->at_end ? 0 : read_more(lines, error);
		if (more < 0)
			return -1;
		if (more == 0) {
			lines->at_end = 1;
			if (rest > 0)
				return pm_error_set(error, PM_ERROR_FORMAT, 0, "it ends in the middle of line %llu",
				                    (unsigned long long)lines->number + 1);
			return 0;
		}
	}
}
