/* SPDX-License-Identifier: MIT */
/** @file The patterns of `procmem grep`. */
#ifndef CMD_GREP_PATTERNS_H
#define CMD_GREP_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/pattern_scan.h>

#include "base/text.h"

/** Patterns as the user gave them. */
struct grep_patterns {
	struct text bytes; /**< all of them, one behind the other */
	size_t *ends;      /**< where each ends in `bytes`; owned */
	size_t count;      /**< how many */
	size_t capacity;   /**< room for so many */
	bool given;        /**< there was an option for patterns: the first operand is none */
};

/**
 * Adds patterns, separated by newlines as for grep(1).
 * @param patterns the list
 * @param bytes they
 * @param length how many bytes
 */
void grep_patterns_add(struct grep_patterns *patterns, const char *bytes, size_t length);

/**
 * Adds the patterns in a file, one a line.
 *
 * @param patterns  the list
 * @param path      the file, "-" for standard input
 * @param error     PM_ERROR_NOT_FOUND, PM_ERROR_IO, PM_ERROR_USAGE
 * @return          0 or -1
 */
int grep_patterns_add_file(struct grep_patterns *patterns, const char *path,
                           struct pm_error *error);

/**
 * Makes the search.
 *
 * @param patterns  at least one
 * @param flags     enum pm_pattern_flag bits, for all of them
 * @param scanner   as pm_pattern_scanner_create()
 * @param error     as pm_pattern_scanner_create()
 * @return          0 or -1
 */
int grep_patterns_compile(const struct grep_patterns *patterns, unsigned flags,
                          struct pm_scanner **scanner, struct pm_error *error);

/**
 * Releases the list.
 * @param patterns the list
 */
void grep_patterns_deinit(struct grep_patterns *patterns);

/**
 * Whether one of them begins with `^` or ends with `$`.
 * @param patterns the list
 * @return true or false
 */
bool grep_patterns_have_anchors(const struct grep_patterns *patterns);

#endif
