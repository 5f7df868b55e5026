/* SPDX-License-Identifier: MIT */
/** @file The contents of `struct pm_process`, for other files of the library. Private. */
#ifndef PM_PROC_PROCESS_HANDLE_H
#define PM_PROC_PROCESS_HANDLE_H

#include <stdbool.h>

#include <procmem/process.h>

#include "proc/path_cache.h"
#include "proc/procfs.h"

/**
 * A process. Except for the cache, the structure does not change after the process was opened, so
 * threads may share it.
 */
struct pm_process {
	struct pm_procfs procfs; /**< directory of the process in /proc */
	/** Descriptor from pidfd_open(2); -1 for a saved tree, and before Linux 5.3 */
	int pidfd;
	/**
	 * Descriptor of `maps`; -1 if the file could not be opened. The file reads as empty once
	 * the memory is gone. It is opened before the values of the following fields are read, so
	 * that every later exec is detected.
	 */
	int memory_anchor;
	/**
	 * Start time in clock ticks since boot. The PID and the start time together identify the
	 * process uniquely.
	 */
	uint64_t start_ticks;
	/** An address in the stack, which changes with each exec; 0 without ptrace access, or if
	 * the process was opened in the middle of an exec */
	uint64_t start_stack;
	bool kernel_thread; /**< whether it is a kernel thread; its maps file is always empty */
	bool was_dead;      /**< whether it was a zombie without memory when it was opened */
	/** Directories of the own cgroup, which pm_own_group_find() has found */
	struct pm_path_cache own_groups;
};

/**
 * Maximum number of attempts to open a file through another thread, if each thread ends before its
 * file is opened. If all attempts fail, there must be another cause.
 */
enum { PM_TRIES_MAX = 32 };

/** Bits of pm_process_stat.flags, as PF_* in include/linux/sched.h. */
enum {
	PM_PF_EXITING = 0x00000004, /**< the thread is ending */
	PM_PF_KTHREAD = 0x00200000, /**< the thread is a kernel thread */
};

/**
 * Value of start_code that the kernel reports if the reader lacks ptrace access (fs/proc/array.c).
 */
enum { PM_UNKNOWN_CODE = 1 };

/** Fields of a stat file; see proc_pid_stat(5). */
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
	uint64_t start_code; /* start address of the code; PM_UNKNOWN_CODE without ptrace access */
	uint64_t start_stack;
	uint64_t start_brk;
};

/** Tests whether a thread in this state is a zombie or dead. Such a thread has no memory. */
static inline bool pm_state_is_dead(char state)
{
	return state == 'Z' || state == 'X' || state == 'x';
}

/** Tests whether the first thread is dead but the process has further threads. */
static inline bool pm_process_stat_leader_gone(const struct pm_process_stat *stat)
{
	return pm_state_is_dead(stat->state) && stat->threads > 1;
}

/**
 * Tests whether a thread is dead or is ending. An ending thread releases its memory, which may take
 * long, before it becomes a zombie.
 */
static inline bool pm_process_stat_is_ending(const struct pm_process_stat *stat)
{
	return pm_state_is_dead(stat->state) || (stat->flags & PM_PF_EXITING) != 0;
}

#endif
