/* SPDX-License-Identifier: MIT */
/** @file The resident size of a process, from /proc/PID/statm. Private. */
#ifndef PM_PROC_STATM_H
#define PM_PROC_STATM_H

#include <stdint.h>

#include "proc/procfs.h"

/**
 * Reads statm (proc_pid_statm(5)), whose second and third numbers count pages. This costs three
 * system calls, less than all other files with sizes. Since Linux 6.2, the numbers can lag by some
 * dozen pages for each CPU.
 *
 * @param procfs    the directory of the process
 * @param resident  receives the resident size in bytes; 0 if the first thread is dead
 * @param shared    receives the resident size of mapped files and shared memory, in bytes
 * @return          0, or -1 with errno set; EPROTO if the file has another format
 */
int pm_statm_read(const struct pm_procfs *procfs, uint64_t *resident, uint64_t *shared);

#endif
