/* SPDX-License-Identifier: MIT */
/** @file Parts of process.c for other files of the library. Private. */
#ifndef PM_PROC_PROCESS_H
#define PM_PROC_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "proc/process_handle.h"

/**
 * Fills an error after a file that every process has could not be read: the process has ended, the
 * kernel refused, or our own process lacks memory or descriptors.
 *
 * @param process  the process
 * @param cause    errno of the failed call
 * @param error    PM_ERROR_GONE, PM_ERROR_FORMAT (EPROTO), PM_ERROR_ACCESS, PM_ERROR_RESOURCES
 * @return         -1
 */
int pm_process_lost(const struct pm_process *process, int cause, struct pm_error *error);

/**
 * Returns a thread whose files in /proc show the memory: the first one, or, if that is dead,
 * another that is alive.
 *
 * @param process  the process
 * @return         a thread ID; the PID if no thread has memory
 */
pid_t pm_process_memory_thread(const struct pm_process *process);

/**
 * Tests whether system calls take the same PID for the process. The /proc it was found in may
 * belong to another PID namespace (that of a host, mounted into a container), where the number
 * names another process.
 *
 * @param process  the process
 * @return         true if the PID can be passed to process_vm_readv(2), ptrace(2) and the like
 */
bool pm_process_pid_is_ours(const struct pm_process *process);

#endif
