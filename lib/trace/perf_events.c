/* SPDX-License-Identifier: MIT */
/*
 * Events of a thread are inherited by the threads that it creates. Threads are listed and attached
 * until a list contains no new thread. This also finds a thread that was created while its creator
 * was being attached. Such a thread may have inherited some of the events, and then has these
 * twice. Only the events that were opened last, for the thread or for its latest creator, are
 * complete.
 *
 * Events that are inherited can write to a ring only if they belong to one CPU.
 */
#include "trace/perf_events.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/array.h"
#include "base/io.h"
#include "proc/access.h"
#include "proc/credentials.h"
#include "proc/process_handle.h"
#include "trace/perf_record.h"

/* Descriptors that are left to the rest of the program. */
enum { SPARE = 64 };

/* Maximum number of events: about 50 µs are needed to open one. */
enum { EVENTS_MAX = 1 << 16 };

/* Threads that create threads all the time could be listed forever. A thread that is new in pass N
 * has a creator that was new in pass N - 1, and so on: such a chain ends soon. */
enum { PASSES_MAX = 8 };

/* --- Permissions ------------------------------------------------------------------------------ */

/** Opens an event that never counts. Returns 0, or errno. */
static int try(pid_t pid)
{
	struct perf_event_attr attr = { .size = sizeof attr,
		                        .type = PERF_TYPE_SOFTWARE,
		                        .config = PERF_COUNT_SW_DUMMY,
		                        .exclude_kernel = 1,
		                        .exclude_hv = 1,
		                        .disabled = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/** Reads kernel.perf_event_paranoid. Returns 2, the default, if it cannot be read. */
static int paranoid(const char *root)
{
	char path[4200], text[16] = "";

	snprintf(path, sizeof path, "%s/sys/kernel/perf_event_paranoid", root);
	int fd = pm_open_regular(path);
	if (fd < 0)
		return 2;

	ssize_t length = pm_read(fd, text, sizeof text - 1);
	close(fd);
	return length > 0 ? (int)strtol(text, NULL, 10) : 2;
}

/** Fills an error after perf_event_open(2) was refused even for this process. */
static int refused(const char *root, int cause, struct pm_error *error)
{
	struct pm_credentials own = { 0 };

	if (cause == ENOSYS || cause == EOPNOTSUPP || cause == ENOENT)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, cause,
		                    "this kernel has no perf_event_open (CONFIG_PERF_EVENTS)");
	if (pm_errno_is_ours(cause))
		return pm_error_set(error, PM_ERROR_RESOURCES, cause,
		                    "cannot open events: this process lacks descriptors or memory");
	if (paranoid(root) > 2)
		return pm_error_set(error, PM_ERROR_ACCESS, cause,
		                    "the kernel refuses perf_event_open, because "
		                    "kernel.perf_event_paranoid is %d: run as root, give procmem "
		                    "CAP_PERFMON, or set it to 2",
		                    paranoid(root));

	if (pm_credentials_read(root, "self", &own) && own.seccomp)
		return pm_error_set(error, PM_ERROR_ACCESS, cause,
		                    "a seccomp filter of this process refuses perf_event_open, as "
		                    "those of containers do: run procmem outside of the container, "
		                    "or give the container CAP_PERFMON");
	return pm_error_set(error, PM_ERROR_ACCESS, cause,
	                    "the kernel refuses perf_event_open (%s): run as root, or give procmem "
	                    "CAP_PERFMON",
	                    strerror(cause));
}

int pm_perf_events_permitted(struct pm_process *process, struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;
	int cause = try(0);

	if (cause != 0)
		return refused(procfs->root, cause, error);

	cause = try(procfs->pid);
	if (cause == 0)
		return 0;
	/* The first thread can be dead while other threads run. */
	if (cause == ESRCH)
		return pm_process_check(process, error);

	return pm_access_explain(procfs->root, procfs->pid, "trace", cause, error);
}

/* --- One event -------------------------------------------------------------------------------- */

/** Tests whether an event is one of all system calls. */
static bool is_all(unsigned what)
{
	return what == PM_TRACEPOINT_EXIT_ALL || what == PM_TRACEPOINT_ENTER_ALL;
}

static bool has_stack(unsigned what)
{
	if (what < PM_TRACEPOINT_CALLS)
		return pm_tracepoint_calls[what].stack;

	return what != PM_TRACEPOINT_ENTER_ALL;
}

uint64_t pm_perf_events_sample_type(const struct pm_perf_events *events, unsigned what)
{
	uint64_t type = PM_PERF_SAMPLE_TYPE;

	if (what == PM_PERF_FAULTS)
		type |= PERF_SAMPLE_ADDR;
	if (is_all(what))
		type |= PERF_SAMPLE_RAW;
	if (has_stack(what))
		type |= PERF_SAMPLE_STACK_USER;
	if (has_stack(what) && events->choice.chain)
		type |= PERF_SAMPLE_CALLCHAIN;

	return type;
}

/** Tests whether an event also records exec and exit. One event of each thread and CPU does. */
static bool records_tasks(unsigned what)
{
	return what == PM_TRACEPOINT_EXIT_MMAP || what == PM_TRACEPOINT_EXIT_ALL;
}

/** Fills the attributes of an event. */
static struct perf_event_attr make_attr(const struct pm_perf_events *events, unsigned what)
{
	bool inherit = events->plan != PM_PERF_PER_CPU, tasks = records_tasks(what);
	struct perf_event_attr attr = { .size = sizeof attr,
		                        .type = PERF_TYPE_TRACEPOINT,
		                        .sample_period = 1,
		                        .sample_type = pm_perf_events_sample_type(events, what),
		                        .sample_regs_user = PM_PERF_REGISTERS,
		                        .sample_id_all = 1,
		                        .read_format = events->count_lost ? PERF_FORMAT_LOST : 0,
		                        .exclude_kernel = events->exclude_kernel,
		                        .exclude_hv = 1,
		                        .exclude_callchain_kernel = 1,
		                        .disabled = 1,
		                        .inherit = inherit,
		                        .inherit_thread = inherit && events->inherit_thread,
		                        .comm = tasks,
		                        .comm_exec = tasks,
		                        .task = tasks,
		                        .use_clockid = 1,
		                        .clockid = CLOCK_MONOTONIC,
		                        .watermark = 1 };

	if (attr.sample_type & PERF_SAMPLE_STACK_USER)
		attr.sample_stack_user = (uint32_t)events->choice.stack_size;
	if (what == PM_PERF_FAULTS) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	} else {
		attr.config = events->ids->ids[what];
	}

	return attr;
}

/** Opens an event. Gives up what the kernel does not permit. Returns a descriptor, or -1. */
static int open_event(struct pm_perf_events *events, unsigned what, pid_t tid, int cpu)
{
	for (;;) {
		struct perf_event_attr attr = make_attr(events, what);
		long fd = syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			return (int)fd;
		if ((errno == EACCES || errno == EPERM) && !events->exclude_kernel &&
		    events->plan == PM_PERF_PER_THREAD)
			events->exclude_kernel = true;
		else if (errno == EINVAL && events->count_lost)
			events->count_lost = false;
		else if (errno == EINVAL && events->inherit_thread)
			events->inherit_thread = false;
		else
			return -1;
	}
}

/** Makes a filter with the numbers of the traced system calls, for their starts or their ends. */
static void make_filter(bool enter, char *text, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < PM_TRACEPOINT_CALLS; i++) {
		const struct pm_tracepoint_call *call = &pm_tracepoint_calls[i];
		const char *separator = length > 0 ? "||" : "";

		/* MADV_POPULATE_* needs a stack, which starts do not have here: the end is
		 * recorded. */
		if (call->enter == enter && !(enter && call->stack) && length < size)
			length += (size_t)snprintf(text + length, size - length, "%sid==%d",
			                           separator, call->number);
	}
}

/**
 * Sets the filter of an event. The filters of munmap and madvise only save time, because their
 * records are tested again: a failure is ignored. Without the filter of an event of all system
 * calls, each call would be recorded: a failure is an error.
 * @return  0, or -1 with errno set
 */
static int set_filter(int fd, unsigned what)
{
	char filter[256];

	if (what == PM_TRACEPOINT_EXIT_MUNMAP)
		ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "ret != 0");
	/* MADV_POPULATE_READ and MADV_POPULATE_WRITE. */
	if (what == PM_TRACEPOINT_ENTER_MADVISE)
		ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "behavior == 22 || behavior == 23");
	if (!is_all(what))
		return 0;

	make_filter(what == PM_TRACEPOINT_ENTER_ALL, filter, sizeof filter);
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter);
}

/** Opens an event, directs it to the ring of its CPU, and adds it to the list. */
static int add_event(struct pm_perf_events *events, unsigned what, pid_t tid,
                     const struct pm_perf_ring *ring)
{
	struct pm_perf_event event = { .what = what, .owner = events->threads };

	if (pm_array_reserve(&events->items, &events->capacity, events->count, 1,
	                     sizeof *events->items, NULL) < 0) {
		errno = ENOMEM;
		return -1;
	}

	event.fd = open_event(events, what, tid, ring->cpu);
	if (event.fd < 0)
		return -1;

	if (ioctl(event.fd, PERF_EVENT_IOC_ID, &event.id) < 0 ||
	    ioctl(event.fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0 ||
	    set_filter(event.fd, what) < 0) {
		int cause = errno;
		close(event.fd);
		errno = cause;
		return -1;
	}

	events->items[events->count++] = event;
	return 0;
}

/* --- All events ------------------------------------------------------------------------------- */

/** Tests whether an event is part of the plan. */
static bool is_selected(const struct pm_perf_events *events, unsigned what)
{
	if (what == PM_PERF_FAULTS)
		return events->choice.faults;
	/* These calls fill memory without page faults. */
	if (what == PM_TRACEPOINT_ENTER_MADVISE && !events->choice.faults)
		return false;

	return is_all(what) == (events->plan == PM_PERF_FILTERED);
}

/**
 * Opens and enables the events of a thread.
 * @param tid  the thread; -1: all processes
 * @return     0, also if the thread has exited; -1 with errno set
 */
static int add_thread(struct pm_perf_events *events, pid_t tid)
{
	size_t first = events->count;

	for (size_t ring = 0; ring < events->rings->count; ring++)
		for (unsigned what = 0; what <= PM_PERF_FAULTS; what++)
			if (is_selected(events, what) &&
			    add_event(events, what, tid, &events->rings->items[ring]) < 0 &&
			    errno != ESRCH && errno != ENODEV)
				return -1;

	/* The events of releases are the last ones. They are enabled first, so that memory whose
	 * mapping was recorded is not released unnoticed. */
	for (size_t i = events->count; i > first; i--)
		ioctl(events->items[i - 1].fd, PERF_EVENT_IOC_ENABLE, 0);
	if (events->count > first)
		events->threads++;

	return 0;
}

static int compare_tids(const void *a, const void *b)
{
	pid_t first = *(const pid_t *)a, second = *(const pid_t *)b;
	return (first > second) - (first < second);
}

/** The threads that have been listed so far, in ascending order. */
struct known {
	pid_t *tids;
	size_t count;
};

/**
 * Attaches the threads that were not listed before.
 * @param found  receives whether there were new threads
 * @return       0, or -1 with errno set
 */
static int add_new(struct pm_perf_events *events, const struct pm_procfs *procfs,
                   struct known *known, bool *found)
{
	pid_t *tids;
	size_t count;

	*found = false;
	if (pm_procfs_list_numbers(procfs, "task", &tids, &count) < 0)
		return -1;

	int result = 0;
	for (size_t i = 0; i < count && result == 0; i++) {
		if (known->tids &&
		    bsearch(&tids[i], known->tids, known->count, sizeof *tids, compare_tids))
			continue;
		*found = true;
		result = add_thread(events, tids[i]);
	}

	int cause = errno;
	free(known->tids);
	*known = (struct known){ tids, count };
	errno = cause;
	return result;
}

/** Attaches all threads, also those that are created during the call. */
static int add_threads(struct pm_perf_events *events, const struct pm_procfs *procfs)
{
	struct known known = { NULL, 0 };
	bool found = true;
	int result = 0, cause;

	for (size_t pass = 0; result == 0 && found && pass < PASSES_MAX; pass++) {
		result = add_new(events, procfs, &known, &found);
		if (pass > 0 && found)
			events->repeated = true;
	}

	cause = errno;
	free(known.tids);
	errno = cause;
	return result;
}

/** Returns the number of descriptors that a plan needs. */
static size_t needed(const struct pm_perf_events *events, size_t threads)
{
	size_t each = 0;

	for (unsigned what = 0; what <= PM_PERF_FAULTS; what++)
		each += is_selected(events, what);
	if (events->plan == PM_PERF_PER_CPU)
		threads = 1;

	return events->rings->count * (threads * each + 1) + SPARE;
}

/** Tests whether a plan is possible. Raises the soft limit of descriptors if necessary. */
static bool fits(struct pm_perf_events *events, size_t threads)
{
	struct rlimit limit;
	size_t count = needed(events, threads);

	if (events->plan == PM_PERF_FILTERED && events->ids->ids[PM_TRACEPOINT_EXIT_ALL] == 0)
		return false;
	if (count > EVENTS_MAX || getrlimit(RLIMIT_NOFILE, &limit) < 0 || count > limit.rlim_max)
		return false;
	if (count <= limit.rlim_cur)
		return true;

	if (events->limit.rlim_max == 0)
		events->limit = limit;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static void close_events(struct pm_perf_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		close(events->items[i].fd);
	events->count = 0;
	events->threads = 0;
	events->repeated = false;
}

/** Fills an error after the events of all plans were too many, or were refused. */
static int too_many(struct pm_perf_events *events, pid_t pid, size_t threads, int cause,
                    struct pm_error *error)
{
	/* Without a descriptor, the threads could not be listed. */
	if (threads == 0)
		return pm_error_no_resources(EMFILE, error);

	/* The other plans need fewer events, but they need privileges. */
	events->plan = PM_PERF_PER_THREAD;
	size_t count = needed(events, threads);

	if (count > EVENTS_MAX)
		return pm_error_set(error, PM_ERROR_RESOURCES, cause,
		                    "cannot trace the %zu threads of process %d: without "
		                    "privileges they need %zu events, and trace opens at most %d; "
		                    "run as root: then fewer are needed",
		                    threads, (int)pid, count, EVENTS_MAX);
	return pm_error_set(error, PM_ERROR_RESOURCES, cause,
	                    "cannot trace the %zu threads of process %d: without privileges they "
	                    "need %zu descriptors, which is more than 'ulimit -Hn' permits; "
	                    "increase it, or run as root: then fewer are needed",
	                    threads, (int)pid, count);
}

/** Fills an error after no plan was possible. */
static int open_failed(struct pm_perf_events *events, struct pm_process *process, size_t threads,
                       int cause, struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;

	if (cause == ESRCH || cause == ENOENT)
		return pm_access_explain(procfs->root, procfs->pid, "trace", ESRCH, error);
	if (cause == EACCES || cause == EPERM || pm_errno_is_ours(cause))
		return too_many(events, procfs->pid, threads, cause, error);

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, cause,
	                    "the kernel cannot open the events of process %d: %s", (int)procfs->pid,
	                    strerror(cause));
}

/** Opens the events of the current plan. Returns 0, or -1 with errno set. */
static int open_plan(struct pm_perf_events *events, const struct pm_procfs *procfs)
{
	if (events->plan != PM_PERF_PER_CPU)
		return add_threads(events, procfs);

	return add_thread(events, -1);
}

int pm_perf_events_open(struct pm_perf_events *events, struct pm_process *process,
                        struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;
	size_t threads;
	pid_t *tids;
	int cause = EMFILE;

	events->inherit_thread = true;
	events->count_lost = true;
	if (pm_procfs_list_numbers(procfs, "task", &tids, &threads) < 0)
		return open_failed(events, process, 0, errno, error);
	free(tids);

	for (unsigned plan = 0; plan < PM_PERF_PLANS; plan++) {
		events->plan = (enum pm_perf_plan)plan;
		if (!fits(events, threads))
			continue;
		events->exclude_kernel = false;
		int result = open_plan(events, procfs);
		cause = result < 0 ? errno : ESRCH;
		if (result == 0 && events->count > 0)
			return 0;

		close_events(events);
		/* Another plan helps only against a lack of descriptors. */
		if (!pm_errno_is_ours(cause))
			break;
	}

	return open_failed(events, process, threads, cause, error);
}

bool pm_perf_events_ended(const struct pm_perf_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		struct pollfd event = { .fd = events->items[i].fd };

		/* An event that threads have inherited ends after theirs. */
		if (poll(&event, 1, 0) < 1 || !(event.revents & POLLHUP))
			return false;
	}

	return true;
}

void pm_perf_events_close(struct pm_perf_events *events)
{
	close_events(events);
	free(events->items);
	if (events->limit.rlim_max != 0)
		setrlimit(RLIMIT_NOFILE, &events->limit);
	*events = (struct pm_perf_events){ 0 };
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a;
	uint64_t second = ((const struct pm_perf_event *)b)->id;
	return (first > second) - (first < second);
}

const struct pm_perf_event *pm_perf_events_find(const struct pm_perf_events *events, uint64_t id)
{
	if (events->count == 0)
		return NULL;

	return bsearch(&id, events->items, events->count, sizeof *events->items, compare_ids);
}

uint64_t pm_perf_events_lost(const struct pm_perf_events *events)
{
	uint64_t values[2], lost = 0;

	for (size_t i = 0; i < events->count && events->count_lost; i++)
		if (pm_read(events->items[i].fd, values, sizeof values) == (ssize_t)sizeof values)
			lost += values[1];

	return lost;
}
