/* SPDX-License-Identifier: MIT */
#include "base/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/io.h"
#include "base/read_ahead.h"

enum {
	READ_SIZE = 64 * 1024,        /* maps and smaps hand out about a page per read() however big the buffer is; files on a disk fill it */
	READ_AHEAD_FROM = 512 * 1024, /* a file this long is read by a thread of its own, beside the parsing */
};

int pm_lines_init(struct pm_lines *lines, int fd, struct pm_error *error)
{
	*lines = (struct pm_lines){ .fd = fd };
	return pm_array_reserve(&lines->buffer, &lines->capacity, 0, READ_SIZE, 1, error);
}

void pm_lines_deinit(struct pm_lines *lines)
{
	pm_read_ahead_stop(lines->ahead);
	free(lines->buffer);
	*lines = (struct pm_lines){ .fd = -1 };
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
	if (!lines->ahead && lines->total >= READ_AHEAD_FROM)
		lines->ahead = pm_read_ahead_start(lines->fd);
	char *to = lines->buffer + rest;
	size_t room = lines->capacity - rest;
	ssize_t got = lines->ahead ? pm_read_ahead_take(lines->ahead, to, room) : pm_read(lines->fd, to, room);
	if (got < 0)
		return pm_read_failed(error);
	lines->filled += (size_t)got;
	lines->total += (size_t)got;
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
