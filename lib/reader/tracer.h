/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The ptrace(2) requests that stop a process. One thread must call all functions for the same
 * target, except pm_tracer_reap(). Private.
 */
#ifndef PM_READER_TRACER_H
#define PM_READER_TRACER_H

#include <procmem/stop.h>

#include "proc/process_handle.h"

/** States of a thread of the target. */
enum pm_trace_state {
	PM_TRACE_INTERRUPTED, /**< PTRACE_INTERRUPT was sent; the thread may not have stopped yet */
	PM_TRACE_STOPPED,     /**< known to have stopped */
	PM_TRACE_ASLEEP, /**< sleeps uninterruptibly; will stop before it returns from the kernel */
	PM_TRACE_GONE,   /**< has exited */
};

/** A thread of the target. */
struct pm_traced {
	struct pm_stopped_thread thread; /**< result for pm_stop_thread() */
	enum pm_trace_state state;       /**< state of the thread */
};

/**
 * The threads of a target. Before pm_tracer_stop(), all fields are zero except `process` and
 * `cancel`.
 */
struct pm_tracer {
	struct pm_process *process; /**< the target */
	const volatile sig_atomic_t
		*cancel;         /**< cancellation flag of the caller; NULL if there is none */
	struct pm_traced *items; /**< the threads, by ascending TID */
	size_t count;            /**< number of threads */
	size_t capacity;         /**< number of allocated threads */
};

/**
 * Stops all threads.
 *
 * @param tracer  receives the threads; release with pm_tracer_release(), also after a failure
 * @param error   as for pm_stop_begin()
 * @return        0 or -1
 */
int pm_tracer_stop(struct pm_tracer *tracer, struct pm_error *error);

/**
 * Reaps traced threads that have exited, except the leader. Call this at intervals from another
 * thread while pm_tracer_stop() runs. Without these calls, pm_tracer_stop() can hang if the target
 * calls execve(2).
 * @param process  the target
 */
void pm_tracer_reap(const struct pm_process *process);

/**
 * Detaches from the stopped threads, which continue to run. Threads that have not stopped yet stay
 * attached until the calling thread exits; then the kernel detaches them.
 * @param tracer  the threads; empty afterwards
 */
void pm_tracer_release(struct pm_tracer *tracer);

#endif
