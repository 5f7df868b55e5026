/* SPDX-License-Identifier: MIT */
/** @file The error message for a pattern with a mistake. Private. */
#ifndef PM_BASE_PATTERN_ERROR_H
#define PM_BASE_PATTERN_ERROR_H

#include <stddef.h>

#include <procmem/error.h>

/**
 * Reports where a pattern is wrong: "the pattern is wrong after byte 2, 'a(' <-- here -- 'b':
 * REASON".
 *
 * @param text    the pattern
 * @param length  its length in bytes
 * @param offset  bytes before the mistake; more than `length` counts as `length`
 * @param reason  what is wrong
 * @param error   filled with PM_ERROR_USAGE
 * @return        always -1
 */
int pm_pattern_wrong(const char *text, size_t length, size_t offset, const char *reason,
                     struct pm_error *error);

#endif
