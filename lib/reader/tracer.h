/* SPDX-License-Identifier: MIT */
/**
 * @file The ptrace part of a stop; all of it must be called by one and the same thread. Private.
 */
#ifndef PM_READER_TRACER_H
#define PM_READER_TRACER_H

#include <procmem/stop.h>

#include "proc/process_handle.h"

/** How far a thread of the target is. */
enum pm_trace_state {
	PM_TRACE_INTERRUPTED, /**< told to stop, not seen stopped yet */
	PM_TRACE_STOPPED,     /**< seen stopped */
	PM_TRACE_ASLEEP,      /**< in the kernel, uninterruptible; stops before it comes back */
	PM_TRACE_GONE,        /**< ended */
};

/** A thread of the target. */
struct pm_traced {
	struct pm_stopped_thread thread; /**< what the caller of the stop sees */
	enum pm_trace_state state;       /**< how far it is */
};

/** The threads of a target; zero it and set process and cancel. */
struct pm_tracer {
	struct pm_process *process;          /**< the target */
	const volatile sig_atomic_t *cancel; /**< or NULL */
	struct pm_traced *items;             /**< by ascending TID */
	size_t count;                        /**< how many */
	size_t capacity;                     /**< room in items */
};

/**
 * Stops all threads.
 *
 * @param tracer  filled; release with pm_tracer_release(), also after a failure
 * @param error   as pm_stop_begin()
 * @return        0 or -1
 */
int pm_tracer_stop(struct pm_tracer *tracer, struct pm_error *error);

/**
 * Lets the threads run on. Those that are not stopped the kernel lets go when the calling thread
 * ends.
 */
void pm_tracer_release(struct pm_tracer *tracer);

#endif
