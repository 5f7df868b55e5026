/* SPDX-License-Identifier: MIT */
/**
 * @file Creates a scanner for numbers that uses a given level of vector instructions, for tests.
 * Private; the public interface is <procmem/number_scan.h>.
 */
#ifndef PM_SCAN_NUMBER_SCAN_H
#define PM_SCAN_NUMBER_SCAN_H

#include <procmem/number_scan.h>
#include <procmem/strings_scan.h>

#include "scan/simd.h"

/**
 * Does the same as pm_number_scanner_create(), but uses a given level of vector instructions.
 * @param simd  the level, at most pm_simd_best()
 */
int pm_number_scanner_create_with(const struct pm_number_test *tests, size_t count, bool aligned,
                                  enum pm_simd simd, struct pm_scanner **scanner,
                                  struct pm_error *error);

#endif
