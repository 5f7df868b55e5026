/* SPDX-License-Identifier: MIT */
/** @file Formats values in memory as text, as gdb's command `x` does. */
#ifndef CMD_SHELL_EXAMINE_H
#define CMD_SHELL_EXAMINE_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/text.h"

/** The format of `x`, and where its output continues. */
struct examine {
	char format;   /**< one of x d u o t c s f a */
	unsigned size; /**< size of a value in bytes: 1, 2, 4 or 8 */
	size_t count;  /**< number of values */
	uint64_t next; /**< address after the values that were shown last; 0 if no values have been
	                  shown */
};

/**
 * Parses the part after the slash in `x/16gx`: a number, a format and a size in any order. The
 * number defaults to 1; format and size keep their values if they are not given.
 *
 * @param examine  changed, except on failure
 * @param text     the part after the slash
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int shell_examine_parse(struct examine *examine, const char *text, struct pm_error *error);

/**
 * Returns the number of values in a line.
 *
 * @param examine  the format
 * @return         at least 1
 */
size_t shell_examine_per_line(const struct examine *examine);

/**
 * Adds a value as text.
 *
 * @param examine  the format, not 's'
 * @param bytes    the value, little-endian, examine->size bytes
 * @param text     receives the value
 */
void shell_examine_put_value(const struct examine *examine, const void *bytes, struct text *text);

/**
 * Adds a string in double quotes, up to its NUL or 200 bytes. Bytes that are not text are escaped
 * as by all commands; quotes and backslashes are preceded by a backslash.
 *
 * @param bytes   start of the string
 * @param length  number of bytes available
 * @param text    receives the string
 * @return        number of bytes used, including the NUL; 0 if the string does not end within the
 *                bytes available
 */
size_t shell_examine_put_string(const char *bytes, size_t length, struct text *text);

#endif
