/* SPDX-License-Identifier: MIT */
/** @file FILL threads.c */
#ifndef PM_PROC_THREADS_H
#define PM_PROC_THREADS_H

#include "proc/process_handle.h"

/**
 * Where a thread sleeps, by task/TID/syscall (proc_pid_syscall(5)), which needs ptrace access.
 *
 * @param stack_pointer    where to store its stack pointer, 0 where unknown: it runs, has ended, or
 * we have no right
 * @param program_counter  where to store its program counter, likewise
 * @return                 0, or -1 with errno set where we lack something ourselves
 */
int pm_thread_read_pointers(const struct pm_procfs *procfs, pid_t tid, uint64_t *stack_pointer,
                            uint64_t *program_counter);

#endif
