/* SPDX-License-Identifier: MIT */
/**
 * @file Values from the text of /proc/PID/status, which has lines of the form `Key:<tab>value...`
 * (proc_pid_status(5)). Private.
 */
#ifndef PM_PROC_STATUS_H
#define PM_PROC_STATUS_H

#include <stdint.h>

/**
 * Finds the value of a key. The command name in the first line cannot imitate another line, since
 * the kernel escapes newlines in it.
 *
 * @param status  the whole text
 * @param key     the key without colon; not "Name", which is the first line
 * @return        the text after the colon and the white space, up to the end of `status`; NULL if
 *                the key is missing
 */
const char *pm_status_find(const char *status, const char *key);

/**
 * Finds a decimal number in the value of a key.
 *
 * @param status  the whole text
 * @param key     the key without colon
 * @param column  index of the number in the line; the first number has the index 0
 * @return        the number; 0 if the key or the number is missing
 */
uint64_t pm_status_number(const char *status, const char *key, unsigned column);

/**
 * Finds a hexadecimal mask, such as a set of signals or capabilities, in the value of a key.
 *
 * @param status  the whole text
 * @param key     the key without colon
 * @return        the mask; 0 if the key or the mask is missing
 */
uint64_t pm_status_mask(const char *status, const char *key);

#endif
