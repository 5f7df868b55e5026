/* SPDX-License-Identifier: MIT */
/*
 * Stops all threads of a process with ptrace(2).
 *
 * Each pass interrupts the new threads in task/ and waits until they have stopped. Passes are
 * repeated until a pass finds no new thread. Then all threads have stopped, since only running
 * threads create threads. PTRACE_O_TRACECLONE, FORK and VFORK are not set: with these options, the
 * kernel would also trace the child processes that a thread creates before it stops. New threads
 * are found by the next pass. A thread that was attached by PTRACE_SEIZE without options receives
 * no SIGTRAP from an exec.
 *
 * The tracer thread can block in PTRACE_SEIZE while a thread of the target calls execve(2). The
 * kernel kills the other threads, and execve returns when all of them are reaped. Those that are
 * traced are reaped by the tracer. But PTRACE_SEIZE of the next thread waits until execve returns
 * (cred_guard_mutex). So another thread of this process calls pm_tracer_reap() at intervals.
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

/* Times since the last thread stopped, in nanoseconds. After CHECK_AFTER, the states of the
 * remaining threads are read. After ASLEEP_AFTER, threads in state D count as stopped. After
 * FAIL_AFTER, the stop fails. */
static const uint64_t CHECK_AFTER = UINT64_C(20000000);
static const uint64_t ASLEEP_AFTER = UINT64_C(200000000);
static const uint64_t FAIL_AFTER = UINT64_C(10000000000);

/* Minimum and maximum pause between two polls of the threads, in nanoseconds. The pause is
 * doubled after each poll, until a thread stops. */
enum { PAUSE_MIN = 20 * 1000, PAUSE_MAX = 1000 * 1000 };

/** Returns the state of a thread as in proc_pid_stat(5), or 'X' if the thread has exited. */
static char state_of(const struct pm_process *process, pid_t tid)
{
	char name[64];
	struct pm_process_stat stat;
	snprintf(name, sizeof name, "task/%d/stat", (int)tid);
	if (pm_process_stat_read(&process->procfs, name, &stat) < 0)
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
 * @return 1: the thread was interrupted; 0: the thread has exited; -1: an error, such as that the
 *         kernel refused access
 */
static int interrupt(struct pm_tracer *tracer, pid_t tid, struct pm_error *error)
{
	if (pm_array_reserve(&tracer->items, &tracer->capacity, tracer->count, 1,
	                     sizeof *tracer->items, error) < 0)
		return -1;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0) {
		int cause = errno;
		/* A zombie is handled like a thread that has exited: for a zombie, the kernel
		 * returns EPERM. */
		if (cause == ESRCH || pm_state_is_dead(state_of(tracer->process, tid)))
			return 0;
		/* After execve(2), the leader can be a thread that is traced already. */
		if (pm_process_check(tracer->process, error) < 0)
			return -1;
		return explain(tracer, cause, error);
	}

	/* The result can be ignored: the call fails only if the thread has exited, and
	 * poll_thread() detects that. */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	tracer->items[tracer->count++] = (struct pm_traced){ .thread = { .tid = tid },
		                                             .state = PM_TRACE_INTERRUPTED };

	return 1;
}

/**
 * Fills `error` after task/ could not be read: the process is gone, or the kernel refused access.
 * @param cause  errno of the failed call
 * @return       always -1
 */
static int list_failed(const struct pm_tracer *tracer, int cause, struct pm_error *error)
{
	if (pm_process_check(tracer->process, error) < 0)
		return -1;

	return explain(tracer, cause, error);
}

/**
 * Interrupts the new threads in task/.
 * @param all  receives true if task/ contained no new threads and was complete, otherwise false.
 * The list in task/ can be incomplete if threads exit while it is read
 * @return     0 or -1
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

/** Updates the state of a thread from a status that waitpid(2) returned. */
static void update(struct pm_traced *traced, int status)
{
	if (!WIFSTOPPED(status)) {
		traced->state = PM_TRACE_GONE;
		return;
	}

	traced->state = PM_TRACE_STOPPED;
	traced->thread.reachable = true;

	/* With PTRACE_EVENT_STOP, the thread was interrupted, or was in a group-stop already.
	 * Otherwise it stopped because of a signal, which is delivered when the stop ends. */
	if (status >> 16 != PTRACE_EVENT_STOP)
		traced->thread.signal = WSTOPSIG(status);
}

/**
 * Checks whether a thread has stopped or exited.
 * @return true if there is no need to wait for the thread any longer
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
 * Checks the state of a thread that has not stopped yet. This also detects a thread group leader
 * that has exited: waitpid(2) does not report it as long as other threads exist.
 * @param idle  time since the last thread stopped, in nanoseconds
 * @return      0 to continue waiting, or -1 with `error` filled
 */
static int check_pending(struct pm_tracer *tracer, struct pm_traced *traced, uint64_t idle,
                         struct pm_error *error)
{
	pid_t tid = traced->thread.tid;
	char state = state_of(tracer->process, tid);

	if (pm_state_is_dead(state)) {
		traced->state = PM_TRACE_GONE;
		return 0;
	}

	/* After an execve(2), this TID may belong to a thread that was not interrupted yet. If it
	 * was, interrupting it again does no harm: PTRACE_DETACH clears the second request. */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);

	if (state == 'D' && idle >= ASLEEP_AFTER)
		traced->state = PM_TRACE_ASLEEP;
	else if (idle >= FAIL_AFTER)
		return pm_error_set(error, PM_ERROR_IO, 0,
		                    "thread %d of process %d does not stop (its state is %c); the "
		                    "process continues to run",
		                    (int)tid, (int)tracer->process->procfs.pid, state);

	return 0;
}

/** Waits until all threads have stopped or exited. */
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

/** Removes the threads that have exited from the list. */
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

void pm_tracer_reap(const struct pm_process *process)
{
	pid_t *tids;
	size_t count;
	if (pm_procfs_list_numbers(&process->procfs, "task", &tids, &count) < 0)
		return;

	/* Reap only zombies: for other threads, waitid(2) would consume the ptrace stop that the
	 * tracer waits for, even without WSTOPPED. Do not reap the leader: its parent does that,
	 * which may be the program that uses this library. */
	for (size_t i = 0; i < count; i++) {
		siginfo_t info;
		if (tids[i] != process->procfs.pid && state_of(process, tids[i]) == 'Z')
			waitid(P_PID, (id_t)tids[i], &info, WEXITED | WNOHANG | __WALL);
	}

	free(tids);
}

void pm_tracer_release(struct pm_tracer *tracer)
{
	for (size_t i = 0; i < tracer->count; i++) {
		struct pm_traced *traced = &tracer->items[i];
		if (traced->state == PM_TRACE_ASLEEP || traced->state == PM_TRACE_INTERRUPTED)
			poll_thread(traced);
		/* Detach from the thread, and deliver its pending signal if there is one. */
		if (traced->state == PM_TRACE_STOPPED)
			ptrace(PTRACE_DETACH, traced->thread.tid, NULL,
			       (void *)(intptr_t)traced->thread.signal);
	}

	free(tracer->items);
	tracer->items = NULL;
	tracer->count = tracer->capacity = 0;
}
