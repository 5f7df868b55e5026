/* SPDX-License-Identifier: MIT */
/*
 * Stopping all threads of a process (ptrace(2)).
 *
 * The list in task/ is gone through until a pass finds no thread that is new: only running threads
 * make new ones, and each pass waits until all that it found stand still. No PTRACE_O_TRACECLONE,
 * nor FORK or VFORK: children that a thread makes on its way into the stop must not be traced, let
 * alone stay so, and threads are found by the next pass. An exec sends no SIGTRAP to a seized
 * thread without options.
 */
#include "reader/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "proc/access.h"
#include "proc/process_stat.h"
#include "reader/cancel.h"

/* How long no thread has come to a stop, in nanoseconds. */
static const uint64_t LOOK_AFTER =
	UINT64_C(20) * 1000 * 1000; /* then it is time to look at the states of those missing */
static const uint64_t ASLEEP_AFTER = UINT64_C(200) * 1000 *
                                     1000; /* then those in state D are taken as stopped */
static const uint64_t HOPELESS_AFTER = UINT64_C(
	10000000000); /* then the machine is too busy, or the thread is a riddle */

/** State of a thread as in proc_pid_stat(5), 'X' where it has none any more. */
static char state_of(const struct pm_tracer *tracer, pid_t tid)
{
	char name[64];
	struct pm_process_stat stat;
	snprintf(name, sizeof name, "task/%d/stat", (int)tid);
	if (pm_process_stat_read(&tracer->process->procfs, name, &stat) < 0)
		return 'X';
	return stat.state;
}

static int compare_tids(const void *a, const void *b)
{
	pid_t first = ((const struct pm_traced *)a)->thread.tid,
	      second = ((const struct pm_traced *)b)->thread.tid;
	return (first > second) - (first < second);
}

static int explain(const struct pm_tracer *tracer, int cause, struct pm_error *error)
{
	return pm_access_explain(tracer->process->procfs.root, tracer->process->procfs.pid,
	                         "stop it", cause, error);
}

/**
 * Attaches to a thread and tells it to stop.
 * @return 1: done; 0: the thread has ended; -1: refused
 */
static int interrupt(struct pm_tracer *tracer, pid_t tid, struct pm_error *error)
{
	if (pm_array_reserve(&tracer->items, &tracer->capacity, tracer->count, 1,
	                     sizeof *tracer->items, error) < 0)
		return -1;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0) {
		int cause = errno;
		/* A zombie is refused with EPERM, as if we had no right. */
		if (cause == ESRCH || pm_state_is_dead(state_of(tracer, tid)))
			return 0;
		return explain(tracer, cause, error);
	}

	/* That this can fail only because the thread has ended will be seen when it is waited for.
	 */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	tracer->items[tracer->count++] = (struct pm_traced){ .thread = { .tid = tid },
		                                             .state = PM_TRACE_INTERRUPTED };

	return 1;
}

/**
 * One pass over task/.
 *
 * @param all    where to store whether no thread was new and none is missing: the list is made
 * while threads come and go and may lack some
 * @return       0 or -1
 */
static int interrupt_new(struct pm_tracer *tracer, bool *all, struct pm_error *error)
{
	pid_t *tids;
	size_t count, known = tracer->count;
	struct pm_process_stat stat;

	if (pm_procfs_list_numbers(&tracer->process->procfs, "task", &tids, &count) < 0)
		return pm_process_check(tracer->process, error) < 0 ? -1
		                                                    : explain(tracer, errno, error);

	int result = 0;
	for (size_t i = 0; i < count && result >= 0; i++) {
		const struct pm_traced key = { .thread = { .tid = tids[i] } };
		if (known == 0 || !bsearch(&key, tracer->items, known, sizeof key, compare_tids))
			result = interrupt(tracer, tids[i], error);
	}

	free(tids);
	if (result < 0)
		return -1;

	*all = tracer->count == known &&
	       pm_process_stat_read(&tracer->process->procfs, "stat", &stat) == 0 &&
	       stat.threads == count;
	if (tracer->count > 0)
		qsort(tracer->items, tracer->count, sizeof *tracer->items, compare_tids);

	return 0;
}

/** Takes note of what wait(2) says about a thread. */
static void settle(struct pm_traced *traced, int status)
{
	if (!WIFSTOPPED(status)) {
		traced->state = PM_TRACE_GONE;
		return;
	}

	traced->state = PM_TRACE_STOPPED;
	traced->thread.reachable = true;

	/* Either it stopped as it was told to, or was group-stopped already; or a signal came
	 * first, whose delivery it now waits with. */
	if (status >> 16 != PTRACE_EVENT_STOP)
		traced->thread.signal = WSTOPSIG(status);
}

/**
 * Looks whether a thread has stopped.
 * @return true where it no longer has to be waited for
 */
static bool poll_thread(struct pm_traced *traced)
{
	int status;
	pid_t got = waitpid(traced->thread.tid, &status, __WALL | __WNOTHREAD | WNOHANG);
	if (got == traced->thread.tid)
		settle(traced, status);
	else if (got < 0 && errno == ECHILD)
		traced->state = PM_TRACE_GONE;
	return traced->state != PM_TRACE_INTERRUPTED;
}

/**
 * Looks at a thread that does not stop. A dead leader is one that wait(2) does not tell of while
 * other threads live.
 *
 * @param idle  for how long nothing has moved, in nanoseconds
 * @return      0 to wait on, or -1
 */
static int look_at_sleeper(struct pm_tracer *tracer, struct pm_traced *traced, uint64_t idle,
                           struct pm_error *error)
{
	char state = state_of(tracer, traced->thread.tid);
	if (pm_state_is_dead(state))
		traced->state = PM_TRACE_GONE;
	else if (state == 'D' && idle >= ASLEEP_AFTER)
		traced->state = PM_TRACE_ASLEEP;
	else if (idle >= HOPELESS_AFTER)
		return pm_error_set(error, PM_ERROR_IO, 0,
		                    "thread %d of process %d does not stop (its state is %c); the "
		                    "process runs on as before",
		                    (int)traced->thread.tid, (int)tracer->process->procfs.pid,
		                    state);

	return 0;
}

/** Waits until all threads stand still. */
static int await_all(struct pm_tracer *tracer, struct pm_error *error)
{
	uint64_t moved = pm_clock_ns(CLOCK_MONOTONIC);
	long pause = 20L * 1000;
	for (;;) {
		size_t pending = 0, settled = 0;
		uint64_t idle = pm_clock_ns(CLOCK_MONOTONIC) - moved;
		for (size_t i = 0; i < tracer->count; i++) {
			struct pm_traced *traced = &tracer->items[i];
			if (traced->state != PM_TRACE_INTERRUPTED)
				continue;
			if (!poll_thread(traced) && idle >= LOOK_AFTER &&
			    look_at_sleeper(tracer, traced, idle, error) < 0)
				return -1;
			if (traced->state == PM_TRACE_INTERRUPTED)
				pending++;
			else
				settled++;
		}

		if (pending == 0)
			return 0;
		if (pm_check_cancel(tracer->cancel, error) < 0)
			return -1;

		if (settled > 0) {
			moved = pm_clock_ns(CLOCK_MONOTONIC);
			pause = 20L * 1000;
		}

		nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
		pause = pause < 1000L * 1000 ? pause * 2 : pause;
	}
}

/** Drops the threads that ended. */
static void drop_gone(struct pm_tracer *tracer)
{
	size_t kept = 0;
	for (size_t i = 0; i < tracer->count; i++)
		if (tracer->items[i].state != PM_TRACE_GONE)
			tracer->items[kept++] = tracer->items[i];
	tracer->count = kept;
}

int pm_tracer_stop(struct pm_tracer *tracer, struct pm_error *error)
{
	bool all = false;
	while (!all) {
		if (pm_check_cancel(tracer->cancel, error) < 0 ||
		    interrupt_new(tracer, &all, error) < 0 || await_all(tracer, error) < 0)
			return -1;
		drop_gone(tracer);
	}

	if (pm_process_check(tracer->process, error) < 0)
		return -1;

	return tracer->count > 0 ? 0 : explain(tracer, ESRCH, error);
}

void pm_tracer_release(struct pm_tracer *tracer)
{
	for (size_t i = 0; i < tracer->count; i++) {
		struct pm_traced *traced = &tracer->items[i];
		if (traced->state == PM_TRACE_ASLEEP || traced->state == PM_TRACE_INTERRUPTED)
			poll_thread(traced);
		/* With a signal it is delivered now, as it would have been without us. */
		if (traced->state == PM_TRACE_STOPPED)
			ptrace(PTRACE_DETACH, traced->thread.tid, NULL,
			       (void *)(intptr_t)traced->thread.signal);
	}

	free(tracer->items);
	tracer->items = NULL;
	tracer->count = tracer->capacity = 0;
}
