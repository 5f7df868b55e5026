/* SPDX-License-Identifier: MIT */
/** @file The contents of `struct pm_process`, for other files of the library. Private. */
#ifndef PM_PROC_PROCESS_HANDLE_H
#define PM_PROC_PROCESS_HANDLE_H

#include <stdbool.h>

#include <procmem/process.h>

#include "proc/procfs.h"

/** A process. It does not change after it was opened, so that threads may share it. */
struct pm_process {
	struct pm_procfs procfs; /**< its directory */
	int pidfd;               /**< from pidfd_open(2), -1 for saved trees and before Linux 5.3 */
	int memory_anchor;    /**< `maps`, the first file that was opened: empty once the memory is
	                         gone; -1 if we may not open it */
	uint64_t start_ticks; /**< start time: with the PID it identifies the process forever */
	uint64_t start_stack; /**< start of its stack, which differs after each exec; 0 without
	                         ptrace access */
	bool kernel_thread;   /**< has no user memory: its maps are always empty */
	bool was_dead;        /**< was a zombie when it was opened, and had no memory to lose */
};

/**
 * How often another thread is used if the last one ended before its file was opened. More of these
 * in a row are not a coincidence.
 */
enum { PM_TRIES_MAX = 32 };

/** Bits of pm_process_stat.flags, as PF_* in include/linux/sched.h. */
enum {
	PM_PF_EXITING = 0x00000004, /**< a thread that is ending */
	PM_PF_KTHREAD = 0x00200000, /**< a kernel thread */
};

/** The start of the code in stat, for readers without ptrace access; fs/proc/array.c. */
enum { PM_UNKNOWN_CODE = 1 };

/** Fields of stat; proc_pid_stat(5). */
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
	uint64_t start_code; /* PM_UNKNOWN_CODE without ptrace access */
	uint64_t start_stack;
	uint64_t start_brk;
};

/** Tests whether a thread in this state has released its memory: zombie or dead. */
static inline bool pm_state_is_dead(char state)
{
	return state == 'Z' || state == 'X' || state == 'x';
}

/** Tests whether the first thread is dead while others are alive. */
static inline bool pm_process_stat_leader_gone(const struct pm_process_stat *stat)
{
	return pm_state_is_dead(stat->state) && stat->threads > 1;
}

#endif
