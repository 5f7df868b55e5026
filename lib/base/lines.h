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
	int fd;          /**< descriptor to read from */
	char *buffer;    /**< bytes that were read; owned; grows to the longest line */
	size_t capacity; /**< size of the buffer in bytes */
	size_t begin;    /**< offset in the buffer of the first byte that was not returned yet */
	size_t filled;   /**< offset in the buffer after the last byte that was read */
	int at_end;      /**< whether the end of the file was read */
	uint64_t number; /**< number of the line that was returned last, counted from 1 */
	uint64_t total;  /**< number of bytes read so far */
	/** maximum size of a read(2) in bytes; may be lowered before the first line is read */
	size_t at_once;
	uint64_t left_out; /**< number of bytes of the current line that were dropped */
	/** Second thread, which reads the rest of a long file; NULL until it is started */
	struct pm_read_ahead *ahead;
};

enum {
	/**
	 * Maximum number of bytes that are kept of a line; the rest of a longer line is dropped. A
	 * path for a system call has at most 4096 bytes, each of which the kernel may write as
	 * `\ooo`. But directories can be nested more deeply, so a line of maps can exceed this
	 * maximum. This must not be an error: otherwise a process could prevent its inspection by
	 * mapping a file in such a directory.
	 */
	PM_LINE_MAX = 64 * 1024,
	/**
	 * Maximum number of bytes of a line that may be dropped. If a line is longer, the file is
	 * not text, and reading it fails.
	 */
	PM_LINE_END = 1024 * 1024 * 1024,
};

/**
 * Starts reading lines.
 *
 * @param lines  receives the initial state; release with pm_lines_deinit()
 * @param fd     descriptor to read; remains owned by the caller
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_lines_init(struct pm_lines *lines, int fd, struct pm_error *error);

/**
 * Stops reading, and releases the buffer.
 * @param lines  a structure that was initialised by pm_lines_init(), even if that call failed
 */
void pm_lines_deinit(struct pm_lines *lines);

/**
 * Returns the next line.
 *
 * @param lines   the stream
 * @param line    receives the start of the line, which ends in a NUL instead of the newline; valid
 *                until the next call
 * @param length  receives the length in bytes, without the NUL
 * @param error   PM_ERROR_GONE (ESRCH), PM_ERROR_IO, PM_ERROR_FORMAT (NUL byte, endless line, last
 *                line without newline)
 * @return        1: a line was returned; 0: end of the file; -1: an error
 */
int pm_lines_next(struct pm_lines *lines, char **line, size_t *length, struct pm_error *error);

#endif
