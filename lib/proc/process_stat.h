/* SPDX-License-Identifier: MIT */
/** @file FILL process_stat.c */
#ifndef PM_PROC_PROCESS_STAT_H
#define PM_PROC_PROCESS_STAT_H

#include "proc/process_handle.h"

/**
 * Parses the text of a stat file.
 * @return false where it is not one
 */
bool pm_process_stat_parse(const char *text, size_t length, struct pm_process_stat *stat);

/**
 * Reads and parses a stat file, `stat` or `task/TID/stat`.
 * @return 0, or -1 with errno set (EPROTO: it is none)
 */
int pm_process_stat_read(const struct pm_procfs *procfs, const char *name,
                         struct pm_process_stat *stat);

#endif
