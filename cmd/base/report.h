/* SPDX-License-Identifier: MIT */
/** @file Errors and notes on stderr. Each is one line that starts with "procmem: ". */
#ifndef CMD_BASE_REPORT_H
#define CMD_BASE_REPORT_H

#include <procmem/error.h>

#include "base/status.h"

/**
 * Prints an error, with control characters escaped.
 * @param format  format of printf(3), for a sentence without a newline
 */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * Prints a remark that is not an error; it starts with "procmem: note: ".
 * @param format  format of printf(3), for a sentence without a newline
 */
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * Prints an error of the library.
 *
 * @param error  the error, which has been set
 * @return       STATUS_ERROR, so that a command can `return report_failure(...)`
 */
enum status report_failure(const struct pm_error *error);

#endif
