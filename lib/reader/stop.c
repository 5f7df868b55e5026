/* SPDX-License-Identifier: MIT */
/*
 * Stops a process with a tracer thread. ptrace(2) accepts requests for a thread of the target only
 * from the thread that attached to it. When the tracer thread exits, the kernel detaches the tracer
 * from all threads of the target, in whatever state these threads are. So each stop has its own
 * tracer thread.
 */
#include <procmem/stop.h>

#include <errno.h>
#include <linux/kcmp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "proc/process.h"
#include "proc/process_stat.h"
#include "reader/tracer.h"

/**
 * A request to the tracer thread to read the registers or the siginfo_t of one thread of the
 * target.
 */
struct job {
	size_t index;  /* index of the thread of the target */
	uint32_t note; /* type of the note of the register set, or 0 to read the siginfo_t */
	/* The buffer for the result. After a read of registers, its length is the number of
	 * bytes read. */
	struct iovec bytes;
	int cause; /* errno of ptrace(2); 0 if the call succeeded */
};

/* Nanoseconds between two calls of pm_tracer_reap() during a stop. Most stops are over before the
 * first call. */
enum { REAP_INTERVAL = 100 * 1000 * 1000 };

/* Interval and maximum duration in nanoseconds of the tests whether the threads have run. */
enum { RUN_INTERVAL = 1000 * 1000, RUN_MAX = 200 * 1000 * 1000 };

struct pm_stop {
	/* The threads of the target. Only the tracer thread changes them, and only before it
	 * sets `ready` and after `end` was set. */
	struct pm_tracer tracer;
	pthread_t thread;
	pthread_mutex_t lock; /* guards all fields below */
	pthread_cond_t changed;
	bool ready; /* whether `result` and `why` are set */
	bool end;   /* set to make the tracer thread detach and exit */
	/* The request that the tracer thread has not completed yet; NULL if there is none */
	struct job *job;
	int result;          /* result of pm_tracer_stop() */
	struct pm_error why; /* error of pm_tracer_stop() */
	/* Time of the call of pm_stop_begin(), in nanoseconds of CLOCK_MONOTONIC */
	uint64_t begun;
};

static void do_job(struct pm_stop *stop, struct job *job)
{
	const struct pm_traced *traced = &stop->tracer.items[job->index];
	pid_t tid = traced->thread.tid;
	long result;

	if (job->note)
		result = ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)job->note, &job->bytes);
	else
		result = ptrace(PTRACE_GETSIGINFO, tid, NULL, job->bytes.iov_base);

	job->cause = result < 0 ? errno : 0;
}

static void *trace(void *context)
{
	struct pm_stop *stop = context;
	struct pm_error why = { 0 };
	int result = pm_tracer_stop(&stop->tracer, &why);

	pthread_mutex_lock(&stop->lock);
	stop->result = result;
	stop->why = why;
	stop->ready = true;
	pthread_cond_broadcast(&stop->changed);

	while (!stop->end) {
		if (stop->job) {
			do_job(stop, stop->job);
			stop->job = NULL;
			pthread_cond_broadcast(&stop->changed);
		}
		pthread_cond_wait(&stop->changed, &stop->lock);
	}

	pthread_mutex_unlock(&stop->lock);
	pm_tracer_release(&stop->tracer);

	return NULL;
}

/**
 * Starts the tracer thread. The thread blocks all signals, so that the other threads of this
 * process handle them.
 */
static int start_thread(struct pm_stop *stop, struct pm_error *error)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);

	int cause = pthread_create(&stop->thread, NULL, trace, stop);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (cause != 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot create a thread: %s",
		                    strerror(cause));

	return 0;
}

static int check_possible(struct pm_process *process, struct pm_error *error)
{
	pid_t pid = pm_process_pid(process);
	const char *why = NULL;
	if (!pm_procfs_is_live(&process->procfs))
		why = "it is a saved /proc tree";
	else if (!pm_process_pid_is_ours(process))
		why = "its /proc belongs to another PID namespace; run procmem in that namespace";
	else if (pid == getpid())
		why = "it is procmem itself";

	if (!why)
		return 0;

	pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "cannot stop process %d: %s", (int)pid, why);
	if (error)
		error->pid = pid;

	return -1;
}

/** Releases a stop whose tracer thread was not started or has exited. */
static void destroy(struct pm_stop *stop)
{
	pthread_cond_destroy(&stop->changed);
	pthread_mutex_destroy(&stop->lock);
	free(stop);
}

/** Initialises the fields that the threads share. */
static void init_shared(struct pm_stop *stop)
{
	pthread_condattr_t attributes;

	/* On Linux, these calls do not fail. */
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&stop->lock, NULL);
	pthread_cond_init(&stop->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

/** Waits for the result of the tracer thread, and reaps exited threads of the target. */
static void await_result(struct pm_stop *stop)
{
	uint64_t next = stop->begun + REAP_INTERVAL;

	pthread_mutex_lock(&stop->lock);
	while (!stop->ready) {
		struct timespec until = { .tv_sec = (time_t)(next / PM_NS_PER_SECOND),
			                  .tv_nsec = (long)(next % PM_NS_PER_SECOND) };
		if (pthread_cond_timedwait(&stop->changed, &stop->lock, &until) != ETIMEDOUT)
			continue;

		pthread_mutex_unlock(&stop->lock);
		pm_tracer_reap(stop->tracer.process);
		next = pm_clock_ns(CLOCK_MONOTONIC) + REAP_INTERVAL;
		pthread_mutex_lock(&stop->lock);
	}
	pthread_mutex_unlock(&stop->lock);
}

int pm_stop_begin(struct pm_process *process, const volatile sig_atomic_t *cancel,
                  struct pm_stop **stop, struct pm_error *error)
{
	if (check_possible(process, error) < 0)
		return -1;

	struct pm_stop *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->tracer.process = process;
	made->tracer.cancel = cancel;

	init_shared(made);
	made->begun = pm_clock_ns(CLOCK_MONOTONIC);
	if (start_thread(made, error) < 0) {
		destroy(made);
		return -1;
	}

	await_result(made);
	if (made->result < 0) {
		if (error)
			*error = made->why;
		pm_stop_end(made);
		return -1;
	}

	*stop = made;
	return 0;
}

uint64_t pm_stop_end(struct pm_stop *stop)
{
	if (!stop)
		return 0;

	pthread_mutex_lock(&stop->lock);
	stop->end = true;
	pthread_cond_broadcast(&stop->changed);
	pthread_mutex_unlock(&stop->lock);
	pthread_join(stop->thread, NULL);

	uint64_t duration = pm_clock_ns(CLOCK_MONOTONIC) - stop->begun;
	destroy(stop);

	return duration;
}

size_t pm_stop_count(const struct pm_stop *stop)
{
	return stop->tracer.count;
}

const struct pm_stopped_thread *pm_stop_thread(const struct pm_stop *stop, size_t index)
{
	return &stop->tracer.items[index].thread;
}

/**
 * Passes a request to the tracer thread, and waits until the request is completed.
 * @param what  name of the requested data, for errors
 */
static int run(struct pm_stop *stop, struct job *job, const char *what, struct pm_error *error)
{
	const struct pm_stopped_thread *thread = pm_stop_thread(stop, job->index);
	if (!thread->reachable)
		return pm_error_set(error, PM_ERROR_UNREADABLE, 0,
		                    "thread %d is in uninterruptible sleep: its %s cannot be read",
		                    (int)thread->tid, what);

	pthread_mutex_lock(&stop->lock);
	stop->job = job;
	pthread_cond_broadcast(&stop->changed);

	while (stop->job)
		pthread_cond_wait(&stop->changed, &stop->lock);

	pthread_mutex_unlock(&stop->lock);
	switch (job->cause) {
	case 0:
		return 0;
	case ESRCH:
		return pm_error_set(error, PM_ERROR_GONE, ESRCH, "thread %d was killed",
		                    (int)thread->tid);
	case EINVAL:
	case ENODEV:
	case EIO:
		return pm_error_set(error, job->note ? PM_ERROR_UNSUPPORTED : PM_ERROR_UNREADABLE,
		                    job->cause, "the kernel does not provide the %s of thread %d",
		                    what, (int)thread->tid);
	default:
		return pm_error_set(error, PM_ERROR_UNREADABLE, job->cause,
		                    "cannot read the %s of thread %d: %s", what, (int)thread->tid,
		                    strerror(job->cause));
	}
}

int pm_stop_read_registers(struct pm_stop *stop, size_t index, uint32_t note, void *buffer,
                           size_t capacity, size_t *size, struct pm_error *error)
{
	struct job job = { .index = index,
		           .note = note,
		           .bytes = { .iov_base = buffer, .iov_len = capacity } };
	if (run(stop, &job, "registers", error) < 0)
		return -1;

	*size = job.bytes.iov_len;
	return 0;
}

int pm_stop_read_siginfo(struct pm_stop *stop, size_t index, void *info, struct pm_error *error)
{
	struct job job = { .index = index,
		           .bytes = { .iov_base = info, .iov_len = sizeof(siginfo_t) } };
	return run(stop, &job, "siginfo", error);
}

/** A thread that may not have run since it was resumed. */
struct awaited {
	pid_t tid;
	char *before; /* text of its schedstat file; NULL until it was read; owned */
};

/**
 * Tests whether a thread has run since it was resumed. The end of a stop wakes all threads, so that
 * a thread that sleeps has run. The other ones have run if the file with their times has changed
 * since the first call.
 */
static bool has_run(const struct pm_procfs *procfs, struct awaited *thread)
{
	struct pm_process_stat stat;
	char path[64], *now;

	snprintf(path, sizeof path, "task/%d/stat", (int)thread->tid);
	if (pm_process_stat_read(procfs, path, &stat) < 0)
		return true;
	if (stat.state != 'R' && stat.state != 'D')
		return true;

	/* Without this file, only the state is known. */
	snprintf(path, sizeof path, "task/%d/schedstat", (int)thread->tid);
	if (pm_procfs_read(procfs, path, &now, NULL) < 0)
		return false;
	if (!thread->before) {
		thread->before = now;
		return false;
	}

	bool changed = strcmp(now, thread->before) != 0;
	free(now);
	return changed;
}

/** Removes the threads that have run. Returns the number of the other ones. */
static size_t remove_run(const struct pm_procfs *procfs, struct awaited *threads, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (has_run(procfs, &threads[i]))
			free(threads[i].before);
		else
			threads[kept++] = threads[i];
	}

	return kept;
}

bool pm_stop_await_run(struct pm_process *process, const volatile sig_atomic_t *cancel)
{
	const struct pm_procfs *procfs = &process->procfs;
	const struct timespec pause = { .tv_nsec = RUN_INTERVAL };
	uint64_t until = pm_clock_ns(CLOCK_MONOTONIC) + RUN_MAX;
	size_t count;
	pid_t *tids;

	if (pm_procfs_list_numbers(procfs, "task", &tids, &count) < 0)
		return true;

	struct awaited *threads = calloc(count + 1, sizeof *threads);
	for (size_t i = 0; threads && i < count; i++)
		threads[i].tid = tids[i];
	free(tids);
	if (!threads)
		return false;

	count = remove_run(procfs, threads, count);
	while (count > 0 && !(cancel && *cancel) && pm_clock_ns(CLOCK_MONOTONIC) < until) {
		nanosleep(&pause, NULL);
		count = remove_run(procfs, threads, count);
	}

	for (size_t i = 0; i < count; i++)
		free(threads[i].before);
	free(threads);
	return count == 0;
}

static bool share_memory(pid_t one, pid_t other)
{
	return syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0) == 0;
}

/**
 * Checks that processes can be compared, by comparing a thread of the process with itself.
 * @param thread  ID of the thread
 */
static int check_comparable(const struct pm_process *process, pid_t thread, struct pm_error *error)
{
	const char *why;
	int cause = 0;

	if (!pm_process_pid_is_ours(process)) {
		why = "its /proc belongs to another PID namespace";
	} else if (share_memory(thread, thread)) {
		return 0;
	} else {
		cause = errno;
		why = strerror(cause);
		if (cause == EPERM || cause == EACCES)
			why = "kcmp(2) is forbidden, as in some containers";
		else if (cause == ENOSYS)
			why = "the kernel has no kcmp(2)";
		else if (cause == ESRCH)
			why = "it has ended";
	}

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, cause,
	                    "cannot find out which processes share the memory of process %d: %s",
	                    (int)pm_process_pid(process), why);
}

int pm_stop_find_sharing(struct pm_process *process, pid_t *first, size_t *count,
                         struct pm_error *error)
{
	pid_t thread = pm_process_memory_thread(process);
	pid_t *pids;
	size_t found;

	if (check_comparable(process, thread, error) < 0)
		return -1;

	/* The directory above /proc/PID lists the processes, without their other threads. */
	if (pm_procfs_list_numbers(&process->procfs, "..", &pids, &found) < 0)
		return pm_process_lost(process, errno, error);

	*first = 0;
	*count = 0;
	for (size_t i = 0; i < found; i++) {
		if (pids[i] == process->procfs.pid || !share_memory(thread, pids[i]))
			continue;
		if ((*count)++ == 0)
			*first = pids[i];
	}

	free(pids);
	return 0;
}
