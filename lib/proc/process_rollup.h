/* SPDX-License-Identifier: MIT */
/** @file Parsing of smaps_rollup files (proc_pid_smaps(5)). Private. */
#ifndef PM_PROC_PROCESS_ROLLUP_H
#define PM_PROC_PROCESS_ROLLUP_H

#include <stdbool.h>

#include <procmem/process_rollup.h>

/**
 * Parses the text of a smaps_rollup file.
 *
 * @param text    the text, NUL-terminated
 * @param rollup  receives the sums; a size that is missing in the text is 0, and each
 *                size is at most 2^60; unchanged on failure
 * @return        false if the text has no Pss, as that of a process without memory
 */
bool pm_process_rollup_parse(const char *text, struct pm_process_rollup *rollup);

#endif
