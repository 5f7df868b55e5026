/* SPDX-License-Identifier: MIT */
/**
 * @file Creates a scanner for patterns that uses a given level of vector instructions, for tests.
 * Private; the public interface is <procmem/pattern_scan.h>.
 */
#ifndef PM_SCAN_PATTERN_SCAN_H
#define PM_SCAN_PATTERN_SCAN_H

#include <procmem/pattern_scan.h>

#include "scan/simd.h"

/**
 * Does the same as pm_pattern_scanner_create(), but uses a given level of vector instructions.
 * @param simd  the level, at most pm_simd_best()
 */
int pm_pattern_scanner_create_with(const struct pm_pattern *patterns, size_t count,
                                   enum pm_simd simd, struct pm_scanner **scanner,
                                   struct pm_error *error);

#endif
