/* SPDX-License-Identifier: MIT */
/** @file FILL process.c */
#ifndef PM_PROC_PROCESS_H
#define PM_PROC_PROCESS_H

#include "proc/process_handle.h"

/**
 * Fills the error where a file that every process has cannot be read: the process has ended, we may
 * not look, or we lack something ourselves.
 *
 * @param cause  errno
 * @return       -1
 */
int pm_process_lost(const struct pm_process *process, int cause, struct pm_error *error);

/**
 * The thread through which the memory can be reached: the first one, or where that is dead another
 * that lives.
 *
 * @param process  the process
 * @return         a thread ID; the PID where no thread has memory any more
 */
pid_t pm_process_memory_thread(const struct pm_process *process);

#endif
