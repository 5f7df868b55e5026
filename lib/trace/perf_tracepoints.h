/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The tracepoints of the system calls that change the address space, and their numbers in this
 * kernel. Private.
 */
#ifndef PM_TRACE_PERF_TRACEPOINTS_H
#define PM_TRACE_PERF_TRACEPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>

#include "trace/events.h"

/** Tracepoints, in the order in which events are opened. */
enum pm_tracepoint {
	PM_TRACEPOINT_EXIT_MMAP,
	PM_TRACEPOINT_EXIT_MUNMAP,
	PM_TRACEPOINT_EXIT_MREMAP,
	PM_TRACEPOINT_EXIT_BRK,
	PM_TRACEPOINT_EXIT_MPROTECT,
	PM_TRACEPOINT_EXIT_SHMAT,
	PM_TRACEPOINT_EXIT_MADVISE,
	PM_TRACEPOINT_ENTER_MUNMAP,
	PM_TRACEPOINT_ENTER_MREMAP,
	PM_TRACEPOINT_ENTER_SHMDT,
	PM_TRACEPOINT_ENTER_MADVISE,
	PM_TRACEPOINT_CALLS, /**< number of tracepoints of one system call */
	PM_TRACEPOINT_EXIT_ALL = PM_TRACEPOINT_CALLS, /**< end of each system call */
	PM_TRACEPOINT_ENTER_ALL,                      /**< start of each system call */
	PM_TRACEPOINT_COUNT,                          /**< number of tracepoints */
};

/** A tracepoint of a system call. */
struct pm_tracepoint_call {
	const char *name;        /**< name in events/syscalls of tracefs */
	enum pm_trace_kind kind; /**< what it records */
	int number;              /**< number of the system call */
	bool enter;              /**< start of the system call, otherwise its end */
	/** Whether the stack is needed: memory is mapped, or filled. Memory that is released
	 * belongs to the stack that mapped it */
	bool stack;
};

/** The tracepoints that are less than PM_TRACEPOINT_CALLS, by enum pm_tracepoint. */
extern const struct pm_tracepoint_call pm_tracepoint_calls[PM_TRACEPOINT_CALLS];

/** Where the numbers are from. */
enum pm_tracepoint_source {
	PM_TRACEPOINTS_FILES,   /**< files of tracefs */
	PM_TRACEPOINTS_COUNTED, /**< tracepoints were counted during known system calls */
};

/** Numbers of tracepoints, for perf_event_attr.config. */
struct pm_tracepoint_ids {
	uint64_t ids[PM_TRACEPOINT_COUNT]; /**< by enum pm_tracepoint. Those from
	                                     PM_TRACEPOINT_CALLS on can be 0: unknown */
	enum pm_tracepoint_source source;  /**< where they are from */
};

/**
 * Finds the numbers of the tracepoints.
 *
 * @param directories  directories that can contain tracefs, terminated by NULL; with an empty list
 *                     the tracepoints are counted; NULL: the usual directories
 * @param ids          receives the numbers
 * @param error        PM_ERROR_UNSUPPORTED (the kernel has no such tracepoints), PM_ERROR_ACCESS
 *                     (perf_event_open is refused), PM_ERROR_RESOURCES
 * @return             0 or -1
 */
int pm_perf_tracepoints_find(const char *const *directories, struct pm_tracepoint_ids *ids,
                             struct pm_error *error);

#endif
