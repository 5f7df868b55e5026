/* SPDX-License-Identifier: MIT */
/** @file FILL pattern_wide.c */
#ifndef PM_SCAN_PATTERN_WIDE_H
#define PM_SCAN_PATTERN_WIDE_H

#include "scan/pattern_text.h"

/**
 * Writes a pattern of PCRE2 anew, so that it matches the same text in UTF-16. Characters beyond
 * ASCII must stand for themselves.
 *
 * @param pattern  a pattern that was compiled without error
 * @param options  it is compiled with
 * @param big      big-endian
 * @param text     empty; filled
 * @param error    PM_ERROR_USAGE with what cannot be written so, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_pattern_text_widen(const struct pm_pattern_text *pattern, unsigned options, bool big,
                          struct pm_pattern_text *text, struct pm_error *error);

#endif
