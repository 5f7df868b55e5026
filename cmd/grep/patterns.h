/* SPDX-License-Identifier: MIT */
/** @file The list of patterns of `procmem grep`. */
#ifndef CMD_GREP_PATTERNS_H
#define CMD_GREP_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/pattern_scan.h>

#include "base/text.h"

/** Patterns as the user gave them. A zeroed structure is an empty list. */
struct grep_patterns {
	struct text bytes; /**< the bytes of all patterns, one directly after the other */
	size_t *ends;      /**< end of each pattern as an offset in `bytes`; owned */
	size_t count;      /**< number of patterns */
	size_t capacity;   /**< private */
	bool given; /**< an option has given patterns, so the first operand is not a pattern */
};

/**
 * Adds patterns that are separated by newlines, as in grep(1).
 *
 * @param patterns  the list
 * @param bytes     the patterns
 * @param length    bytes of `bytes`
 */
void grep_patterns_add(struct grep_patterns *patterns, const char *bytes, size_t length);

/**
 * Adds the patterns in a file, one per line.
 *
 * @param patterns  the list
 * @param path      the file, "-" for standard input
 * @param error     PM_ERROR_NOT_FOUND, PM_ERROR_IO, PM_ERROR_USAGE
 * @return          0 or -1
 */
int grep_patterns_add_file(struct grep_patterns *patterns, const char *path,
                           struct pm_error *error);

/**
 * Creates a scanner for all patterns.
 *
 * @param patterns  the list, not empty
 * @param flags     enum pm_pattern_flag bits, for all of the patterns
 * @param scanner   as for pm_pattern_scanner_create()
 * @param error     as for pm_pattern_scanner_create()
 * @return          0 or -1
 */
int grep_patterns_compile(const struct grep_patterns *patterns, unsigned flags,
                          struct pm_scanner **scanner, struct pm_error *error);

/**
 * Releases a list.
 * @param patterns  the list; empty afterwards
 */
void grep_patterns_deinit(struct grep_patterns *patterns);

/**
 * Returns whether a pattern starts with `^` or ends with `$`.
 * @param patterns  the list
 * @return          true if there is such a pattern
 */
bool grep_patterns_have_anchors(const struct grep_patterns *patterns);

#endif
