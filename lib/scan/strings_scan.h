/* SPDX-License-Identifier: MIT */
/**
 * @file The search for text with a chosen level of vector instructions, for tests. Private; the
 * public part is <procmem/strings_scan.h>.
 */
#ifndef PM_SCAN_STRINGS_SCAN_H
#define PM_SCAN_STRINGS_SCAN_H

#include <procmem/strings_scan.h>

#include "scan/simd.h"

/**
 * As pm_strings_scanner_create().
 * @param simd at most pm_simd_best()
 */
int pm_strings_scanner_create_with(const struct pm_strings_options *options, enum pm_simd simd,
                                   struct pm_scanner **scanner, struct pm_error *error);

#endif
