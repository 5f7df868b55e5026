/* SPDX-License-Identifier: MIT */
/** @file Values in memory as text, in the forms of gdb's `x` command. */
#ifndef CMD_SHELL_EXAMINE_H
#define CMD_SHELL_EXAMINE_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/text.h"

/** How `x` shows memory, and where it goes on. */
struct examine {
	char format;   /**< one of x d u o t c s f a */
	unsigned size; /**< bytes of a value: 1, 2, 4 or 8 */
	size_t count;  /**< how many values */
	uint64_t next; /**< address behind those shown last */
};

/**
 * Reads what stands behind the slash of `x/16gx`: a number, a format and a size in any order. What
 * is missing is 1 for the count, and as it was for the others.
 *
 * @param examine  changed, but not where this fails
 * @param text     e.g. "16gx"
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int examine_parse(struct examine *examine, const char *text, struct pm_error *error);

/**
 * How many values stand in a line.
 * @param examine the form
 * @return at least 1
 */
size_t examine_per_line(const struct examine *examine);

/**
 * Adds a number as text.
 * @param examine its form
 * @param bytes as many as a value has, little-endian
 * @param text gets it
 */
void examine_put_value(const struct examine *examine, const void *bytes, struct text *text);

/**
 * Adds a string in double quotes, up to its NUL or 200 bytes: bytes that are no text as all
 * commands show them, quotes and backslashes with a backslash before them.
 *
 * @param bytes   where it begins
 * @param length  how many bytes there are
 * @param text    gets it
 * @return        how many bytes it took, its NUL included; 0 where it goes on behind what there is
 */
size_t examine_put_string(const char *bytes, size_t length, struct text *text);

#endif
