/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A thread of the tracer that reaps threads of the target while others are attached. Private.
 */
#ifndef PM_TRACE_PTRACE_REAPER_H
#define PM_TRACE_PTRACE_REAPER_H

#include <pthread.h>
#include <stdbool.h>

#include <procmem/process.h>

/** The thread. */
struct pm_ptrace_reaper {
	const struct pm_process *process; /**< the target */
	pthread_t thread;
	pthread_mutex_t lock; /**< guards `end` */
	pthread_cond_t changed;
	bool end; /**< whether the thread is to end */
};

/**
 * Starts the thread.
 * @param reaper   filled; end it with pm_ptrace_reaper_stop()
 * @param process  the target; must outlive the thread
 * @return         false if there is no memory for a thread
 */
bool pm_ptrace_reaper_start(struct pm_ptrace_reaper *reaper, const struct pm_process *process);

/**
 * Ends the thread.
 * @param reaper  the thread
 */
void pm_ptrace_reaper_stop(struct pm_ptrace_reaper *reaper);

#endif
