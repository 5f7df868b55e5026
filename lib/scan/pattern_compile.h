/* SPDX-License-Identifier: MIT */
/** @file From what the user means to what is searched for. Private. */
#ifndef PM_SCAN_PATTERN_COMPILE_H
#define PM_SCAN_PATTERN_COMPILE_H

#include <procmem/pattern_scan.h>

#include "scan/pattern_matcher.h"

/** Patterns ready to be searched for. All zero is none. */
struct pm_compiled_patterns {
	struct pm_compiled_pattern *items; /**< they, by the numbers of the caller's patterns */
	size_t count;                      /**< how many */
	size_t capacity;                   /**< private */
};

/**
 * Compiles a pattern, and its forms in UTF-16 where those are wanted.
 *
 * @param compiled  gets one or three more
 * @param pattern   the pattern
 * @param number    which of the caller's it is
 * @param error     PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_pattern_compile(struct pm_compiled_patterns *compiled, const struct pm_pattern *pattern,
                       uint32_t number, struct pm_error *error);

/**
 * Releases all.
 * @param compiled none afterwards
 */
void pm_compiled_patterns_deinit(struct pm_compiled_patterns *compiled);

#endif
