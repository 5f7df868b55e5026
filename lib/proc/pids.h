/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The processes of the machine. The only place that knows the interface of libproc2. Private.
 *
 * It gives no texts: libproc2 (4.0.2) puts dots and blanks in place of newlines.
 */
#ifndef PM_PROC_PIDS_H
#define PM_PROC_PIDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>

/** The numbers of one process; sizes in bytes. */
struct pm_pids_entry {
	pid_t pid;            /**< process ID */
	uid_t uid;            /**< effective user ID */
	uint32_t threads;     /**< number of threads */
	char state;           /**< as in proc_pid_stat(5), of the first thread */
	bool kernel_thread;   /**< has no user memory */
	uint64_t start_ticks; /**< start time in clock ticks since boot */
	uint64_t rss;         /**< VmRSS */
	uint64_t swap;        /**< VmSwap */
	uint64_t size;        /**< VmSize */
};

/**
 * Called for each process.
 *
 * @param context  as given to pm_pids_visit()
 * @param entry    the process
 * @param error    to fill on failure
 * @return         0 to go on, -1 to end with an error
 */
typedef int pm_pids_visitor(void *context, const struct pm_pids_entry *entry,
                            struct pm_error *error);

/**
 * For visitors that cannot read a file of a process: most often it ended meanwhile, and is passed
 * over.
 *
 * @param cause  errno
 * @param error  PM_ERROR_RESOURCES where the failure is ours
 * @return       0 or -1, what the visitor returns then
 */
int pm_pids_passed_over(int cause, struct pm_error *error);

/**
 * Visits all processes, in no particular order.
 * @param error PM_ERROR_IO, PM_ERROR_RESOURCES, or the visitor's
 * @return 0 or -1
 */
int pm_pids_visit(pm_pids_visitor *visit, void *context, struct pm_error *error);

#endif
