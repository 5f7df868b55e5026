/* SPDX-License-Identifier: MIT */
/** @file Compiles the patterns of the caller with PCRE2. Private. */
#ifndef PM_SCAN_PATTERN_COMPILE_H
#define PM_SCAN_PATTERN_COMPILE_H

#include <procmem/pattern_scan.h>

#include "scan/pattern_matcher.h"

/** Compiled patterns. If the structure is all zeros, the list is empty. */
struct pm_compiled_patterns {
	struct pm_compiled_pattern *items; /**< the patterns, by ascending number */
	size_t count;                      /**< number of patterns */
	size_t capacity;                   /**< private */
};

/**
 * Compiles a pattern. With PM_PATTERN_WIDE, also compiles two forms of the pattern that match
 * UTF-16, one for each byte order.
 *
 * @param compiled  the list; receives one compiled pattern, or three with PM_PATTERN_WIDE
 * @param pattern   the pattern
 * @param number    index of the pattern among those of the caller
 * @param error     PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_pattern_compile(struct pm_compiled_patterns *compiled, const struct pm_pattern *pattern,
                       uint32_t number, struct pm_error *error);

/**
 * Releases all patterns.
 * @param compiled  the list; empty afterwards
 */
void pm_compiled_patterns_deinit(struct pm_compiled_patterns *compiled);

#endif
