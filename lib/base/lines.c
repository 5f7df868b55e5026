/* SPDX-License-Identifier: MIT */
#include "base/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/io.h"
#include "base/minmax.h"
#include "base/read_ahead.h"

enum {
	/**
	 * Size of a read(2) in bytes. For a file on a disk, one call returns that many bytes. For a
	 * file of /proc, one call returns about a page.
	 */
	READ_SIZE = 64 * 1024,
	/**
	 * After that many bytes of a file, a second thread is started, which reads the rest of the
	 * file while this thread parses.
	 */
	READ_AHEAD_FROM = 512 * 1024,
};

int pm_lines_init(struct pm_lines *lines, int fd, struct pm_error *error)
{
	*lines = (struct pm_lines){ .fd = fd, .at_once = READ_SIZE };
	return pm_array_reserve(&lines->buffer, &lines->capacity, 0, READ_SIZE, 1, error);
}

void pm_lines_deinit(struct pm_lines *lines)
{
	pm_read_ahead_stop(lines->ahead);
	free(lines->buffer);
	*lines = (struct pm_lines){ .fd = -1 };
}

static int report_nul(const struct pm_lines *lines, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_FORMAT, 0,
	                    "line %" PRIu64 " contains a NUL byte: the file is not text",
	                    lines->number + 1);
}

/**
 * Keeps at most PM_LINE_MAX bytes of the unfinished line, and counts the bytes that are dropped.
 * @param rest  number of bytes of the unfinished line in the buffer
 * @return      number of bytes of the line that are kept; -1 with `error` filled if the line is too
 *              long, or if it contains a NUL and is longer than PM_LINE_MAX
 */
static ssize_t cut_rest(struct pm_lines *lines, size_t rest, struct pm_error *error)
{
	if (rest <= PM_LINE_MAX)
		return (ssize_t)rest;
	if (memchr(lines->buffer, '\0', PM_LINE_MAX))
		return report_nul(lines, error);

	lines->left_out += rest - PM_LINE_MAX;
	if (lines->left_out > PM_LINE_END)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "line %" PRIu64 " is too long: the file is not text",
		                    lines->number + 1);

	return PM_LINE_MAX;
}

/**
 * Returns the next bytes of the file. Once the second thread was started, the bytes come from that
 * thread; until then, they are read from the descriptor.
 * @return number of bytes, 0 at the end, or -1 with errno set
 */
static ssize_t read_some(struct pm_lines *lines, char *to, size_t room)
{
	if (lines->ahead)
		return pm_read_ahead_next(lines->ahead, to, room);
	return pm_read(lines->fd, to, pm_min_size(room, lines->at_once));
}

/**
 * Moves the unfinished line to the start of the buffer, and reads more bytes after it.
 * @return 1: bytes were read; 0: end of the file; -1: an error
 */
static int read_more(struct pm_lines *lines, struct pm_error *error)
{
	size_t rest = lines->filled - lines->begin;
	memmove(lines->buffer, lines->buffer + lines->begin, rest);
	lines->begin = 0;

	ssize_t kept = cut_rest(lines, rest, error);
	if (kept < 0)
		return -1;

	lines->filled = rest = (size_t)kept;
	if (pm_array_reserve(&lines->buffer, &lines->capacity, rest, READ_SIZE, 1, error) < 0)
		return -1;

	if (!lines->ahead && lines->total >= READ_AHEAD_FROM)
		lines->ahead = pm_read_ahead_start(lines->fd, lines->at_once);

	ssize_t got = read_some(lines, lines->buffer + rest, lines->capacity - rest);
	if (got < 0)
		return pm_read_failed(error);

	lines->filled += (size_t)got;
	lines->total += (size_t)got;

	return got > 0;
}

/**
 * Returns the current line, whose newline was found, and moves on to the next line.
 * @param newline  the newline, in the buffer
 * @return         1 for a line; -1 with `error` filled if the line contains a NUL
 */
static int finish_line(struct pm_lines *lines, char *newline, char **line, size_t *length,
                       struct pm_error *error)
{
	char *begin = lines->buffer + lines->begin;
	size_t whole = (size_t)(newline - begin);
	size_t kept = pm_min_size(whole, PM_LINE_MAX);
	if (memchr(begin, '\0', kept))
		return report_nul(lines, error);

	lines->number++;
	lines->begin += whole + 1;
	lines->left_out = 0;
	begin[kept] = '\0';
	*line = begin;
	*length = kept;

	return 1;
}

int pm_lines_next(struct pm_lines *lines, char **line, size_t *length, struct pm_error *error)
{
	size_t searched = 0;
	for (;;) {
		char *begin = lines->buffer + lines->begin;
		size_t rest = lines->filled - lines->begin;
		char *newline = memchr(begin + searched, '\n', rest - searched);
		if (newline)
			return finish_line(lines, newline, line, length, error);

		int more = 0;
		if (!lines->at_end)
			more = read_more(lines, error);
		if (more < 0)
			return -1;

		if (more == 0) {
			lines->at_end = 1;
			if (rest == 0)
				return 0;
			return pm_error_set(error, PM_ERROR_FORMAT, 0,
			                    "it ends in the middle of line %" PRIu64,
			                    lines->number + 1);
		}

		searched = pm_min_size(rest, PM_LINE_MAX);
	}
}
