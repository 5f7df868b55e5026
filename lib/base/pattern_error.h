/* SPDX-License-Identifier: MIT */
/** @file The one sentence about a pattern that cannot be used. Private. */
#ifndef PM_BASE_PATTERN_ERROR_H
#define PM_BASE_PATTERN_ERROR_H

#include <stddef.h>

#include <procmem/error.h>

/**
 * Says where a pattern is wrong: "the pattern is wrong behind byte 2, 'a(' <-- here -- 'b':
 * REASON".
 *
 * @param text    the pattern
 * @param length  bytes of it
 * @param offset  how many of them are before the mistake; more than there are count as all
 * @param reason  what is wrong
 * @param error   filled with PM_ERROR_USAGE
 * @return        always -1
 */
int pm_pattern_wrong(const char *text, size_t length, size_t offset, const char *reason,
                     struct pm_error *error);

#endif
