/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The processes of the machine, from libproc2. No other file uses libproc2. Private.
 *
 * Names and command lines are not read here: libproc2 (4.0.2) replaces newlines in them.
 */
#ifndef PM_PROC_PIDS_H
#define PM_PROC_PIDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>

/** The numbers that libproc2 returns for one process; sizes are in bytes. */
struct pm_pids_entry {
	pid_t pid;            /**< process ID */
	pid_t ppid;           /**< PID of the parent; 0 if the parent is not visible */
	uid_t uid;            /**< effective user ID */
	uint32_t threads;     /**< number of threads */
	char state;           /**< state of the first thread as in proc_pid_stat(5) */
	bool kernel_thread;   /**< whether it is a kernel thread, which has no user memory */
	uint64_t start_ticks; /**< start time in clock ticks since boot */
	uint64_t rss;         /**< resident size in bytes (VmRSS) */
	uint64_t swap;        /**< swapped size in bytes (VmSwap) */
	uint64_t size;        /**< size of the address space in bytes (VmSize) */
};

/**
 * Called for each process.
 *
 * @param context  the `context` that was passed to pm_pids_visit()
 * @param entry    the process; valid during the call
 * @param error    to be filled on failure
 * @return         0 to continue, -1 to end with a filled error
 */
typedef int pm_pids_visitor(void *context, const struct pm_pids_entry *entry,
                            struct pm_error *error);

/**
 * Decides what a visitor does after it failed to read a file of a process. In most cases the
 * process has ended, so the visitor skips the process.
 *
 * @param cause  errno of the failed call
 * @param error  PM_ERROR_RESOURCES if this process lacks memory or descriptors
 * @return       0 to skip the process, or -1; the visitor must return this value
 */
int pm_pids_skip(int cause, struct pm_error *error);

/**
 * Visits all processes, in no particular order.
 *
 * @param visit    called for each process
 * @param context  passed to `visit`
 * @param error    PM_ERROR_IO, PM_ERROR_RESOURCES, or the error of `visit`
 * @return         0 or -1
 */
int pm_pids_visit(pm_pids_visitor *visit, void *context, struct pm_error *error);

#endif
