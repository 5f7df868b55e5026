/* SPDX-License-Identifier: MIT */
/** @file Functions of threads.c for other files of the library. Private. */
#ifndef PM_PROC_THREADS_H
#define PM_PROC_THREADS_H

#include <stdint.h>
#include <sys/types.h>

#include <procmem/threads.h>

#include "proc/procfs.h"

/**
 * Reads the registers of a sleeping thread from task/TID/syscall (proc_pid_syscall(5)), which needs
 * ptrace access.
 *
 * @param procfs           the process
 * @param tid              the thread
 * @param stack_pointer    receives the stack pointer; 0 if the thread is running or has ended, or
 *                         if this process lacks ptrace access
 * @param program_counter  receives the program counter; 0 in the same cases
 * @return                 0, or -1 with errno set if this process lacks memory or descriptors
 */
int pm_thread_read_pointers(const struct pm_procfs *procfs, pid_t tid, uint64_t *stack_pointer,
                            uint64_t *program_counter);

#endif
