/* SPDX-License-Identifier: MIT */
/** @file The error message for a pattern with a mistake. Private. */
#ifndef PM_BASE_PATTERN_ERROR_H
#define PM_BASE_PATTERN_ERROR_H

#include <stddef.h>

#include <procmem/error.h>

/**
 * Reports a mistake in a pattern: "invalid pattern at offset 2, between 'a(' and 'b': REASON".
 *
 * @param text    the pattern
 * @param length  length of the pattern in bytes
 * @param offset  number of bytes before the mistake; values above `length` count as `length`
 * @param reason  description of the mistake
 * @param error   filled with PM_ERROR_USAGE
 * @return        always -1
 */
int pm_pattern_wrong(const char *text, size_t length, size_t offset, const char *reason,
                     struct pm_error *error);

#endif
