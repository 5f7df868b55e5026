/* SPDX-License-Identifier: MIT */
/** @file The ptrace requests of a stop. One thread must make all of these calls. Private. */
#ifndef PM_READER_TRACER_H
#define PM_READER_TRACER_H

#include <procmem/stop.h>

#include "proc/process_handle.h"

/** State of a thread of the target. */
enum pm_trace_state {
	PM_TRACE_INTERRUPTED, /**< interrupted, not known to have stopped yet */
	PM_TRACE_STOPPED,     /**< known to have stopped */
	PM_TRACE_ASLEEP, /**< sleeps uninterruptibly; stops before it returns from the kernel */
	PM_TRACE_GONE,   /**< exited */
};

/** A thread of the target. */
struct pm_traced {
	struct pm_stopped_thread thread; /**< for pm_stop_thread() */
	enum pm_trace_state state;       /**< its state */
};

/** The threads of a target. All zero, with `process` and `cancel` set, is the initial state. */
struct pm_tracer {
	struct pm_process *process;          /**< the target */
	const volatile sig_atomic_t *cancel; /**< or NULL */
	struct pm_traced *items;             /**< by ascending TID */
	size_t count;                        /**< number of threads */
	size_t capacity;                     /**< private */
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
 * Detaches from the stopped threads, which continue to run. The kernel detaches the calling thread
 * from the others when it exits.
 * @param tracer  the threads; empty afterwards
 */
void pm_tracer_release(struct pm_tracer *tracer);

#endif
