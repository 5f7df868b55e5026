/* SPDX-License-Identifier: MIT */
/** @file What is behind a `struct pm_process`, for the other files of the library. Private. */
#ifndef PM_PROC_PROCESS_HANDLE_H
#define PM_PROC_PROCESS_HANDLE_H

#include <stdbool.h>

#include <procmem/process.h>

#include "proc/procfs.h"

/** A process; immutable after it was opened, so that threads may share it. */
struct pm_process {
	struct pm_procfs procfs; /**< its directory */
	int pidfd;               /**< from pidfd_open(2), -1 for saved trees and before Linux 5.3 */
	int memory_anchor;    /**< `maps`, opened first of all: empty once the memory is another; -1
	                         where we may not open it */
	uint64_t start_ticks; /**< start time: with the PID it names the process for ever */
	uint64_t start_stack; /**< where its stack begins, 0 where we may not know: another one
	                         after each exec */
	bool kernel_thread;   /**< has no user memory, so that nothing is wrong with empty maps */
	bool was_dead; /**< had ended when it was opened (a zombie): it had no memory to lose since
	                */
};

/**
 * Threads that may end between being found and being used, one after the other, before that is
 * taken for more than chance.
 */
enum { PM_TRIES_MAX = 32 };

/** Bits of pm_process_stat.flags, as PF_* in include/linux/sched.h. */
enum {
	PM_PF_EXITING = 0x00000004, /**< a thread that is ending */
	PM_PF_KTHREAD = 0x00200000, /**< a kernel thread */
};

/** What stat gives as begin of the code to those who may not know; fs/proc/array.c. */
enum { PM_UNKNOWN_CODE = 1 };

/** What stat says; proc_pid_stat(5). */
struct pm_process_stat {
	char comm[PM_COMM_SIZE];
	char state;
	uint64_t parent;
	uint64_t group;
	uint64_t session;
	uint64_t flags;
	uint64_t user_ticks;
	uint64_t system_ticks;
	uint64_t children_user_ticks;
	uint64_t children_system_ticks;
	uint64_t threads;
	uint64_t start_ticks;
	uint64_t start_code; /* PM_UNKNOWN_CODE where we may not know */
	uint64_t start_stack;
	uint64_t start_brk;
};

/** Whether a thread in this state has given up its memory: zombie or dead. */
static inline bool pm_state_is_dead(char state)
{
	return state == 'Z' || state == 'X' || state == 'x';
}

/** Whether the first thread is dead while others live. */
static inline bool pm_process_stat_leader_gone(const struct pm_process_stat *stat)
{
	return pm_state_is_dead(stat->state) && stat->threads > 1;
}

#endif
