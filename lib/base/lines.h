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
	size_t capacity;   /**< size of the buffer in bytes */
	size_t begin;      /**< offset of the first byte that was not returned yet */
	size_t filled;     /**< offset after the last byte that was read */
	int at_end;        /**< the descriptor has no more bytes */
	uint64_t number;   /**< number of the line that was returned last, from 1 */
	uint64_t total;    /**< bytes read so far */
	size_t at_once;    /**< maximum size of a read(2); may be lowered before the first line */
	uint64_t left_out; /**< bytes of the current line that were dropped */
	/** Reads the rest of a long file; NULL until the file proves to be long. */
	struct pm_read_ahead *ahead;
};

enum {
	/**
	 * Bytes that are kept of a line; the rest of a longer line is dropped. A path has at most
	 * 4096 bytes, and the kernel may write each as `\ooo`. But directories can be nested deeper
	 * than that, and a process must not be able to hide by mapping a file there.
	 */
	PM_LINE_MAX = 64 * 1024,
	/** A file with a longer line is not text. */
	PM_LINE_END = 1024 * 1024 * 1024,
};

/**
 * Starts reading lines.
 *
 * @param lines  filled; release with pm_lines_deinit()
 * @param fd     descriptor to read; remains owned by the caller
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_lines_init(struct pm_lines *lines, int fd, struct pm_error *error);

/**
 * Releases the buffer.
 * @param lines as initialised
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
 * @return        1: a line; 0: the end; -1: an error
 */
int pm_lines_next(struct pm_lines *lines, char **line, size_t *length, struct pm_error *error);

#endif
