/* SPDX-License-Identifier: MIT */
/** @file Parsing of stat files (proc_pid_stat(5)). Private. */
#ifndef PM_PROC_PROCESS_STAT_H
#define PM_PROC_PROCESS_STAT_H

#include "proc/process_handle.h"

/**
 * Parses the text of a stat file.
 *
 * @param text    the text, NUL-terminated
 * @param length  length of the text in bytes
 * @param stat    receives the fields; a field that is missing in the text is 0
 * @return        false if the text has another format
 */
bool pm_process_stat_parse(const char *text, size_t length, struct pm_process_stat *stat);

/**
 * Reads and parses a stat file.
 *
 * @param procfs  the process
 * @param name    `stat` or `task/TID/stat`
 * @param stat    receives the fields; a field that is missing in the file is 0
 * @return        0, or -1 with errno set; errno is EPROTO if the file has another format
 */
int pm_process_stat_read(const struct pm_procfs *procfs, const char *name,
                         struct pm_process_stat *stat);

#endif
