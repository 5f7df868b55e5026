/* SPDX-License-Identifier: MIT */
/** @file Functions of process.c for other files of the library. Private. */
#ifndef PM_PROC_PROCESS_H
#define PM_PROC_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "proc/process_handle.h"

/**
 * Fills an error after a file that every process has could not be read. Possible reasons are that
 * the process has ended, that the kernel refused access, and that this process lacks memory or
 * descriptors.
 *
 * @param process  the process
 * @param cause    errno of the failed call
 * @param error    PM_ERROR_GONE, PM_ERROR_FORMAT (EPROTO), PM_ERROR_ACCESS, PM_ERROR_RESOURCES
 * @return         -1
 */
int pm_process_lost(const struct pm_process *process, int cause, struct pm_error *error);

/**
 * Returns a thread whose files in /proc show the memory. This is the first thread or, if the first
 * thread is dead, another living thread.
 * @param process  the process
 * @return         a thread ID; the PID if no such thread is found
 */
pid_t pm_process_memory_thread(const struct pm_process *process);

/**
 * Tests whether the PID of the process is valid in the PID namespace of this process, so that
 * system calls can use the PID. The PID is not valid if the /proc directory belongs to another PID
 * namespace, as the /proc of the host does when it is mounted into a container.
 * @param process  the process
 * @return         true if the PID can be passed to process_vm_readv(2), ptrace(2) and other system
 *                 calls
 */
bool pm_process_pid_is_ours(const struct pm_process *process);

#endif
