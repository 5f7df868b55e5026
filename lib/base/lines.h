/* SPDX-License-Identifier: MIT */
/** @file Reading a stream line by line. Private. */
#ifndef PM_BASE_LINES_H
#define PM_BASE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

struct pm_read_ahead;

/** Splits a stream into lines. Start with pm_lines_init(). */
struct pm_lines {
	int fd;            /**< descriptor that is read */
	char *buffer;      /**< owned; grows to the longest line */
	size_t capacity;   /**< bytes of buffer */
	size_t begin;      /**< first byte not yet handed out */
	size_t filled;     /**< bytes behind the last one read */
	int at_end;        /**< the descriptor has no more */
	uint64_t number;   /**< number of the line handed out last, from 1 */
	uint64_t total;    /**< bytes read so far */
	size_t at_once;    /**< most bytes of one read(2); may be lowered before the first line */
	uint64_t left_out; /**< bytes of the line being read that were left out */
	struct pm_read_ahead
		*ahead; /**< reads the rest of a long file, NULL before it is known to be long */
};

enum {
	/**
	 * What is kept of a line: the rest of a longer one is left out. A path that can be used has
	 * 4096 bytes at most, and the kernel may write each as `\ooo`; but folders can be nested
	 * deeper than that, and a process must not be able to hide by mapping a file there.
	 */
	PM_LINE_MAX = 64 * 1024,
	/** Longer lines are no text at all. */
	PM_LINE_END = 1024 * 1024 * 1024,
};

/**
 * Starts reading lines.
 *
 * @param lines filled; release with pm_lines_deinit()
 * @param fd stays the caller's
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int pm_lines_init(struct pm_lines *lines, int fd, struct pm_error *error);

/**
 * Releases the buffer.
 * @param lines as initialised
 */
void pm_lines_deinit(struct pm_lines *lines);

/**
 * Hands out the next line.
 *
 * @param lines   the stream
 * @param line    where to store its begin; valid until the next call; ends in a NUL instead of the
 * newline
 * @param length  where to store its length
 * @param error   PM_ERROR_GONE (ESRCH), PM_ERROR_IO, PM_ERROR_FORMAT (NUL byte, endless line, last
 * line without newline)
 * @return        1: a line; 0: the end; -1: an error
 */
int pm_lines_next(struct pm_lines *lines, char **line, size_t *length, struct pm_error *error);

#endif
