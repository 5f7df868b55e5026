/* SPDX-License-Identifier: MIT */
/*
 * Stops all threads of a process (ptrace(2)).
 *
 * Passes over task/ are repeated until one finds no new thread: only running threads create new
 * ones, and each pass waits until all threads that it found have stopped. PTRACE_O_TRACECLONE, FORK
 * and VFORK are not set: children that a thread creates before it stops must not be traced, and new
 * threads are found by the next pass. An exec sends no SIGTRAP to a seized thread without options.
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

/* Times without any thread stopping, in nanoseconds: after the first one the states of the
 * remaining threads are read, after the second one those in state D count as stopped, after the
 * third one the stop fails. */
static const uint64_t CHECK_AFTER = UINT64_C(20000000);
static const uint64_t ASLEEP_AFTER = UINT64_C(200000000);
static const uint64_t FAIL_AFTER = UINT64_C(10000000000);

/* Pauses between two polls, in nanoseconds. */
enum { PAUSE_MIN = 20 * 1000, PAUSE_MAX = 1000 * 1000 };

/** Returns the state of a thread as in proc_pid_stat(5), 'X' if it has exited. */
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
	return pm_access_explain(tracer->process->procfs.root, tracer->process->procfs.pid, "stop",
	                         cause, error);
}

/**
 * Attaches to a thread and interrupts it.
 * @return 1: done; 0: the thread has exited; -1: refused
 */
static int interrupt(struct pm_tracer *tracer, pid_t tid, struct pm_error *error)
{
	if (pm_array_reserve(&tracer->items, &tracer->capacity, tracer->count, 1,
	                     sizeof *tracer->items, error) < 0)
		return -1;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0) {
		int cause = errno;
		/* For a zombie the error is EPERM, too. */
		if (cause == ESRCH || pm_state_is_dead(state_of(tracer, tid)))
			return 0;
		return explain(tracer, cause, error);
	}

	/* This fails only if the thread has exited, which is found out by waiting for it. */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	tracer->items[tracer->count++] = (struct pm_traced){ .thread = { .tid = tid },
		                                             .state = PM_TRACE_INTERRUPTED };

	return 1;
}

/** Sets the error for a task/ that cannot be read: the process is gone, or access is refused. */
static int list_failed(const struct pm_tracer *tracer, int cause, struct pm_error *error)
{
	if (pm_process_check(tracer->process, error) < 0)
		return -1;

	return explain(tracer, cause, error);
}

/**
 * Interrupts the new threads in task/.
 *
 * @param all    receives whether there were no new threads, and the list is complete: it can lack
 *               threads if others exit while it is read
 * @return       0 or -1
 */
static int interrupt_new(struct pm_tracer *tracer, bool *all, struct pm_error *error)
{
	pid_t *tids;
	size_t count, known = tracer->count;
	struct pm_process_stat stat;

	if (pm_procfs_list_numbers(&tracer->process->procfs, "task", &tids, &count) < 0)
		return list_failed(tracer, errno, error);

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

/** Updates the state of a thread from a status of wait(2). */
static void update(struct pm_traced *traced, int status)
{
	if (!WIFSTOPPED(status)) {
		traced->state = PM_TRACE_GONE;
		return;
	}

	traced->state = PM_TRACE_STOPPED;
	traced->thread.reachable = true;

	/* PTRACE_EVENT_STOP: it was interrupted, or was in a group-stop already. Otherwise a signal
	 * came first, which is delivered after the stop. */
	if (status >> 16 != PTRACE_EVENT_STOP)
		traced->thread.signal = WSTOPSIG(status);
}

/**
 * Checks whether a thread has stopped.
 * @return true if it need not be waited for any more
 */
static bool poll_thread(struct pm_traced *traced)
{
	int status;
	pid_t got = waitpid(traced->thread.tid, &status, __WALL | __WNOTHREAD | WNOHANG);
	if (got == traced->thread.tid)
		update(traced, status);
	else if (got < 0 && errno == ECHILD)
		traced->state = PM_TRACE_GONE;
	return traced->state != PM_TRACE_INTERRUPTED;
}

/**
 * Checks the state of a thread that does not stop. For a dead leader wait(2) returns nothing while
 * other threads exist.
 *
 * @param idle  time since the last thread stopped, in nanoseconds
 * @return      0 to continue waiting, or -1
 */
static int check_pending(struct pm_tracer *tracer, struct pm_traced *traced, uint64_t idle,
                         struct pm_error *error)
{
	char state = state_of(tracer, traced->thread.tid);
	if (pm_state_is_dead(state))
		traced->state = PM_TRACE_GONE;
	else if (state == 'D' && idle >= ASLEEP_AFTER)
		traced->state = PM_TRACE_ASLEEP;
	else if (idle >= FAIL_AFTER)
		return pm_error_set(error, PM_ERROR_IO, 0,
		                    "thread %d of process %d does not stop (its state is %c); the "
		                    "process continues to run",
		                    (int)traced->thread.tid, (int)tracer->process->procfs.pid,
		                    state);

	return 0;
}

/** Waits until all threads have stopped. */
static int await_all(struct pm_tracer *tracer, struct pm_error *error)
{
	uint64_t moved = pm_clock_ns(CLOCK_MONOTONIC);
	long pause = PAUSE_MIN;
	for (;;) {
		size_t pending = 0, settled = 0;
		uint64_t idle = pm_clock_ns(CLOCK_MONOTONIC) - moved;
		for (size_t i = 0; i < tracer->count; i++) {
			struct pm_traced *traced = &tracer->items[i];
			if (traced->state != PM_TRACE_INTERRUPTED)
				continue;
			if (!poll_thread(traced) && idle >= CHECK_AFTER &&
			    check_pending(tracer, traced, idle, error) < 0)
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
			pause = PAUSE_MIN;
		}

		nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
		if (pause < PAUSE_MAX)
			pause *= 2;
	}
}

/** Drops the threads that have exited. */
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

	if (tracer->count == 0)
		return explain(tracer, ESRCH, error);

	return 0;
}

void pm_tracer_release(struct pm_tracer *tracer)
{
	for (size_t i = 0; i < tracer->count; i++) {
		struct pm_traced *traced = &tracer->items[i];
		if (traced->state == PM_TRACE_ASLEEP || traced->state == PM_TRACE_INTERRUPTED)
			poll_thread(traced);
		/* The pending signal, if any, is delivered now. */
		if (traced->state == PM_TRACE_STOPPED)
			ptrace(PTRACE_DETACH, traced->thread.tid, NULL,
			       (void *)(intptr_t)traced->thread.signal);
	}

	free(tracer->items);
	tracer->items = NULL;
	tracer->count = tracer->capacity = 0;
}
