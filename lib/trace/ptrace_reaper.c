/* SPDX-License-Identifier: MIT */
/*
 * PTRACE_SEIZE waits while a thread of the target calls execve(2). The kernel kills the other
 * threads then, and execve returns when all of them are reaped: those that are traced, by the
 * tracer. So a second thread of the tracer reaps them while the first one attaches.
 */
#include "trace/ptrace_reaper.h"

#include <time.h>

#include "base/clock.h"
#include "reader/tracer.h"

/* Time between two calls of pm_tracer_reap(), in nanoseconds. Usually all threads of the target are
 * attached before the first call. */
static const uint64_t INTERVAL = UINT64_C(100000000);

static void *reap(void *context)
{
	struct pm_ptrace_reaper *reaper = context;
	uint64_t next = pm_clock_ns(CLOCK_MONOTONIC) + INTERVAL;

	pthread_mutex_lock(&reaper->lock);
	while (!reaper->end) {
		struct timespec until = { .tv_sec = (time_t)(next / PM_NS_PER_SECOND),
			                  .tv_nsec = (long)(next % PM_NS_PER_SECOND) };
		if (pthread_cond_timedwait(&reaper->changed, &reaper->lock, &until) == 0)
			continue;

		pthread_mutex_unlock(&reaper->lock);
		pm_tracer_reap(reaper->process);
		next = pm_clock_ns(CLOCK_MONOTONIC) + INTERVAL;
		pthread_mutex_lock(&reaper->lock);
	}
	pthread_mutex_unlock(&reaper->lock);

	return NULL;
}

bool pm_ptrace_reaper_start(struct pm_ptrace_reaper *reaper, const struct pm_process *process)
{
	pthread_condattr_t attributes;

	*reaper = (struct pm_ptrace_reaper){ .process = process };
	/* On Linux, these calls do not fail. */
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&reaper->lock, NULL);
	pthread_cond_init(&reaper->changed, &attributes);
	pthread_condattr_destroy(&attributes);

	return pthread_create(&reaper->thread, NULL, reap, reaper) == 0;
}

void pm_ptrace_reaper_stop(struct pm_ptrace_reaper *reaper)
{
	pthread_mutex_lock(&reaper->lock);
	reaper->end = true;
	pthread_cond_signal(&reaper->changed);
	pthread_mutex_unlock(&reaper->lock);

	pthread_join(reaper->thread, NULL);
	pthread_cond_destroy(&reaper->changed);
	pthread_mutex_destroy(&reaper->lock);
}
