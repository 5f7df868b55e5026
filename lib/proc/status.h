/* SPDX-License-Identifier: MIT */
/** @file The text of /proc/PID/status: `Key:<tab>value...` lines, proc_pid_status(5). Private. */
#ifndef PM_PROC_STATUS_H
#define PM_PROC_STATUS_H

#include <stdint.h>

/**
 * What stands behind a key. The name in the first line cannot pretend to be another line: the
 * kernel escapes newlines in it.
 *
 * @param status  the whole text
 * @param key     the key without colon; not "Name", which is the first line
 * @return        text behind the colon and the blanks, up to the end of `status`; NULL where the
 * key is missing
 */
const char *pm_status_find(const char *status, const char *key);

/**
 * A decimal number behind a key.
 * @param column which of several, from 0
 * @return 0 where there is no such number
 */
uint64_t pm_status_number(const char *status, const char *key, unsigned column);

/**
 * A hexadecimal mask behind a key, as those of signals and capabilities.
 * @return 0 where there is none
 */
uint64_t pm_status_mask(const char *status, const char *key);

#endif
