/* SPDX-License-Identifier: MIT */
/**
 * @file What goes wrong, told on stderr: one line each, beginning with "procmem: ", and the exit
 * statuses.
 */
#ifndef CMD_BASE_REPORT_H
#define CMD_BASE_REPORT_H

#include <procmem/error.h>

#include "base/status.h"

/**
 * Prints an error. Control bytes in it are escaped.
 * @param format printf format of a sentence without newline
 */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * Prints a remark that is no error, beginning with "procmem: note: ".
 * @param format printf format of a sentence without newline
 */
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * Prints what the library said.
 * @param error a filled error
 * @return STATUS_ERROR, so that `return report_failure(...)` reads well
 */
enum status report_failure(const struct pm_error *error);

#endif
