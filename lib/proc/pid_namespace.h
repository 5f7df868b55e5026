/* SPDX-License-Identifier: MIT */
/** @file FILL pid_namespace.c */
#ifndef PM_PROC_PID_NAMESPACE_H
#define PM_PROC_PID_NAMESPACE_H

#include "proc/process_handle.h"

/**
 * Whether the PID means the same process to system calls: the /proc it was found in may belong to
 * another PID namespace (that of a host, mounted into a container), and the number to somebody else
 * here.
 *
 * @param process  the process
 * @return         true where process_vm_readv(2), ptrace(2) and the like may be given the PID
 */
bool pm_process_pid_is_ours(const struct pm_process *process);

#endif
