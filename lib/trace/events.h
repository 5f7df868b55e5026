/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a backend of a trace records: system calls that change the address space, and page faults.
 * Private.
 */
#ifndef PM_TRACE_EVENTS_H
#define PM_TRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * Kinds of events. A system call releases memory when it starts, and maps memory when it ends. In
 * between, another thread can map the addresses that were released.
 */
enum pm_trace_kind {
	PM_TRACE_MMAP,          /**< end of mmap */
	PM_TRACE_MUNMAP_BEGIN,  /**< start of munmap */
	PM_TRACE_MUNMAP_FAILED, /**< end of munmap with an error: the memory is still there */
	PM_TRACE_MREMAP_BEGIN,  /**< start of mremap */
	PM_TRACE_MREMAP,        /**< end of mremap; also with an error */
	PM_TRACE_BRK,           /**< end of brk */
	PM_TRACE_MPROTECT,      /**< end of mprotect */
	PM_TRACE_SHMAT,         /**< end of shmat */
	PM_TRACE_SHMDT_BEGIN,   /**< start of shmdt */
	PM_TRACE_MADVISE,       /**< end of madvise that gives pages back */
	PM_TRACE_POPULATE,      /**< start or end of madvise(MADV_POPULATE_*) */
	/** Page fault; arguments[0] is the address, arguments[1] is 1 if the kernel touched the
	 * page while it loaded the program: no code of the program did */
	PM_TRACE_FAULT,
	/** The process has called exec. If arguments[0] is not 0, this exec was reported before,
	 * and events after it were not recorded until now */
	PM_TRACE_EXEC,
	PM_TRACE_EXIT, /**< a thread has exited */
	PM_TRACE_LOST, /**< events were dropped; arguments[0] is their number */
};

/** An event. */
struct pm_trace_event {
	uint64_t time;           /**< nanoseconds of CLOCK_MONOTONIC */
	enum pm_trace_kind kind; /**< the kind */
	pid_t tid;               /**< the thread */
	uint32_t stack;          /**< number of its stack; PM_STACK_NONE if it has none */
	uint64_t arguments[6];   /**< of the system call */
	uint64_t result; /**< of the system call; values from -4095 on are errors (-errno) */
};

/** Returns whether a result of a system call is an error. */
static inline bool pm_trace_failed(uint64_t result)
{
	return result >= (uint64_t)-4095;
}

#endif
