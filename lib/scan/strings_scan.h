/* SPDX-License-Identifier: MIT */
/** @file FILL strings_scan.c */
#ifndef PM_SCAN_STRINGS_SCAN_H
#define PM_SCAN_STRINGS_SCAN_H

#include "scan/strings_scanner.h"

/**
 * As pm_strings_scanner_create().
 * @param simd at most pm_simd_best()
 */
int pm_strings_scanner_create_with(const struct pm_strings_options *options, enum pm_simd simd,
                                   struct pm_scanner **scanner, struct pm_error *error);

#endif
