/* SPDX-License-Identifier: MIT */
/*
 * Numbers of tracepoints differ between kernels. Files of tracefs contain them. If tracefs is not
 * mounted, root can open it without a mount point (fsopen(2)). Other users usually may not read it.
 *
 * Without files, the tracepoints are counted: events that count are opened, one for each number,
 * and a different number of each system call is made. The events with the same counts are the
 * tracepoints. All these system calls have invalid arguments and change nothing.
 *
 * The kernel needs up to 40 ms to close such an event, and there are about 700. A child process
 * therefore opens the events. The kernel closes them while the child exits, and the trace does not
 * wait for this. The child asks for raw data and has no capabilities: then the kernel refuses all
 * tracepoints but those of system calls. The tracepoints of all system calls cannot be counted
 * so, but they can only be used with privileges.
 */
#include "trace/perf_tracepoints.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/perf_event.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/number.h"

/* Numbers below the first belong to events of ftrace itself. The first of these is a hook in each
 * function of the kernel. A kernel with many modules has about 3,000 tracepoints. */
enum { ID_FIRST = 8, ID_END = 1 << 14 };

/* Maximum number of events that are open at the same time. */
enum { BATCH_MAX = 1000 };

/* Counting takes 0.1 s. A child that needs more is stuck, in milliseconds. */
enum { CHILD_MAX_MS = 20000 };

const struct pm_tracepoint_call pm_tracepoint_calls[PM_TRACEPOINT_CALLS] = {
	[PM_TRACEPOINT_EXIT_MMAP] = { "sys_exit_mmap", PM_TRACE_MMAP, SYS_mmap, false, true },
	[PM_TRACEPOINT_EXIT_MUNMAP] = { "sys_exit_munmap", PM_TRACE_MUNMAP_FAILED, SYS_munmap,
	                                false, false },
	[PM_TRACEPOINT_EXIT_MREMAP] = { "sys_exit_mremap", PM_TRACE_MREMAP, SYS_mremap, false,
	                                true },
	[PM_TRACEPOINT_EXIT_BRK] = { "sys_exit_brk", PM_TRACE_BRK, SYS_brk, false, true },
	[PM_TRACEPOINT_EXIT_MPROTECT] = { "sys_exit_mprotect", PM_TRACE_MPROTECT, SYS_mprotect,
	                                  false, true },
	[PM_TRACEPOINT_EXIT_SHMAT] = { "sys_exit_shmat", PM_TRACE_SHMAT, SYS_shmat, false, true },
	[PM_TRACEPOINT_EXIT_MADVISE] = { "sys_exit_madvise", PM_TRACE_MADVISE, SYS_madvise, false,
	                                 false },
	[PM_TRACEPOINT_ENTER_MUNMAP] = { "sys_enter_munmap", PM_TRACE_MUNMAP_BEGIN, SYS_munmap,
	                                 true, false },
	[PM_TRACEPOINT_ENTER_MREMAP] = { "sys_enter_mremap", PM_TRACE_MREMAP_BEGIN, SYS_mremap,
	                                 true, false },
	[PM_TRACEPOINT_ENTER_SHMDT] = { "sys_enter_shmdt", PM_TRACE_SHMDT_BEGIN, SYS_shmdt, true,
	                                false },
	/* Only the tracepoint of the start has a field with the advice, for the filter: other calls
	 * need no stack. */
	[PM_TRACEPOINT_ENTER_MADVISE] = { "sys_enter_madvise", PM_TRACE_POPULATE, SYS_madvise, true,
	                                  true },
};

/* --- Files of tracefs ------------------------------------------------------------------------- */

/** Reads the number of a tracepoint. Returns 0 if there is no such file. */
static uint64_t read_id(int directory, const char *event)
{
	char path[256], text[32];
	const char *at = text;
	uint64_t id = 0;

	snprintf(path, sizeof path, "events/%s/id", event);
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;

	ssize_t length = pm_read(fd, text, sizeof text - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';

	return pm_scan_decimal(&at, &id) ? id : 0;
}

/** Tests whether the numbers of the tracepoints of single system calls are known. */
static bool is_enough(const struct pm_tracepoint_ids *ids)
{
	for (size_t i = 0; i < PM_TRACEPOINT_CALLS; i++)
		if (ids->ids[i] == 0)
			return false;

	return true;
}

/**
 * Reads the numbers from the files of tracefs.
 * @param directory  descriptor of tracefs, which is closed; -1 if it could not be opened
 * @return           whether the numbers are enough
 */
static bool read_files(int directory, struct pm_tracepoint_ids *ids)
{
	char event[64];

	*ids = (struct pm_tracepoint_ids){ .source = PM_TRACEPOINTS_FILES };
	if (directory < 0)
		return false;

	for (size_t i = 0; i < PM_TRACEPOINT_CALLS; i++) {
		snprintf(event, sizeof event, "syscalls/%s", pm_tracepoint_calls[i].name);
		ids->ids[i] = read_id(directory, event);
	}
	ids->ids[PM_TRACEPOINT_EXIT_ALL] = read_id(directory, "raw_syscalls/sys_exit");
	ids->ids[PM_TRACEPOINT_ENTER_ALL] = read_id(directory, "raw_syscalls/sys_enter");

	close(directory);
	return is_enough(ids);
}

/** Opens tracefs without a mount point. Returns a descriptor, or -1 without CAP_SYS_ADMIN. */
static int open_tracefs(void)
{
	int context = fsopen("tracefs", FSOPEN_CLOEXEC), mount = -1;

	if (context < 0)
		return -1;

	if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = fsmount(context, FSMOUNT_CLOEXEC, 0);
	close(context);

	return mount;
}

/* --- Counting --------------------------------------------------------------------------------- */

/* The number of each system call differs from all other counts, in both rounds. Prime numbers are
 * rarely the count of something else. */
enum { ROUNDS = 2 };

static const struct {
	long number;
	unsigned count[ROUNDS];
} CALLS[] = {
	{ SYS_mmap, { 7, 31 } },    { SYS_munmap, { 5, 37 } },   { SYS_mremap, { 11, 29 } },
	{ SYS_brk, { 13, 23 } },    { SYS_mprotect, { 17, 3 } }, { SYS_shmat, { 19, 41 } },
	{ SYS_madvise, { 43, 2 } }, { SYS_shmdt, { 47, 59 } },
};

enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS };

/** Events that count, and what they have counted before and after each round. */
struct batch {
	int fds[BATCH_MAX];
	uint64_t ids[BATCH_MAX];
	uint64_t counts[BATCH_MAX][ROUNDS + 1];
	size_t count;
};

/** Makes one system call that fails. brk(0) succeeds, but changes nothing. */
static void call(long number)
{
	switch (number) {
	case SYS_brk:
		syscall(SYS_brk, 0L);
		break;
	case SYS_shmat:
		syscall(SYS_shmat, -1L, 0L, 0L);
		break;
	case SYS_mmap:
		syscall(SYS_mmap, 0L, 0L, 0L, 0L, -1L, 0L);
		break;
	case SYS_mremap:
		syscall(SYS_mremap, 1L, 0L, 0L, 0L, 0L);
		break;
	default:
		/* munmap, mprotect, madvise and shmdt: the address is not aligned. */
		syscall(number, 1L, 0L, 0L);
	}
}

/** Makes the calls of a round. */
static void make_calls(size_t round)
{
	for (size_t i = 0; i < CALL_COUNT; i++)
		for (unsigned n = 0; n < CALLS[i].count[round]; n++)
			call(CALLS[i].number);
}

/**
 * Opens events for numbers from *next on, until the batch is full.
 * @param refused  receives errno of refused calls
 */
static void open_batch(struct batch *batch, uint64_t *next, int *refused)
{
	batch->count = 0;

	for (; *next < ID_END && batch->count < BATCH_MAX; (*next)++) {
		struct perf_event_attr attr = { .size = sizeof attr,
			                        .type = PERF_TYPE_TRACEPOINT,
			                        .config = *next,
			                        .sample_type = PERF_SAMPLE_RAW,
			                        .exclude_kernel = 1,
			                        .exclude_hv = 1 };
		long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0 && pm_errno_is_ours(errno) && batch->count > 0)
			return;
		/* EINVAL and ENOENT: there is no tracepoint with this number. */
		if (fd < 0 && errno != EINVAL && errno != ENOENT)
			*refused = errno;
		if (fd < 0)
			continue;
		batch->ids[batch->count] = *next;
		batch->fds[batch->count++] = (int)fd;
	}
}

static void read_counts(struct batch *batch, size_t round)
{
	for (size_t i = 0; i < batch->count; i++)
		if (read(batch->fds[i], &batch->counts[i][round], sizeof(uint64_t)) !=
		    (ssize_t)sizeof(uint64_t))
			batch->counts[i][round] = 0;
}

/** Tests whether a tracepoint has a field: a filter with the name of another field is refused. */
static bool has_field(int fd, const char *filter)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) == 0;
}

/** Tests whether an event has counted, in each round, a number of calls. */
static bool counted(const uint64_t *counts, const uint64_t *expected)
{
	for (size_t round = 0; round < ROUNDS; round++)
		if (counts[round + 1] - counts[round] != expected[round])
			return false;

	return true;
}

/** Stores the number of an event, if its counts are those of one system call. */
static void match_call(const struct batch *batch, size_t i, struct pm_tracepoint_ids *ids)
{
	for (size_t call = 0; call < CALL_COUNT; call++) {
		const uint64_t expected[ROUNDS] = { CALLS[call].count[0], CALLS[call].count[1] };
		if (!counted(batch->counts[i], expected))
			continue;

		bool exit = has_field(batch->fds[i], "ret == 0");
		for (size_t id = 0; id < PM_TRACEPOINT_CALLS; id++)
			if (pm_tracepoint_calls[id].number == CALLS[call].number &&
			    pm_tracepoint_calls[id].enter == !exit)
				ids->ids[id] = batch->ids[i];
	}
}

/** Makes the calls, and compares the counts of a batch. */
static void count_batch(struct batch *batch, struct pm_tracepoint_ids *ids)
{
	read_counts(batch, 0);
	for (size_t round = 0; round < ROUNDS; round++) {
		make_calls(round);
		read_counts(batch, round + 1);
	}

	for (size_t i = 0; i < batch->count; i++)
		match_call(batch, i, ids);
}

/** Drops all capabilities of this thread. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 }, { 0 } };

	syscall(SYS_capset, &header, data);
}

/** What the child reports. */
struct answer {
	struct pm_tracepoint_ids ids;
	int refused; /**< errno of refused calls; 0 if there was none */
};

/** Tests whether the reader of a pipe has closed it. */
static bool is_unread(int to)
{
	struct pollfd fd = { .fd = to };
	return poll(&fd, 1, 0) == 1;
}

/**
 * Counts all tracepoints in the child, and writes the answer to a pipe. The child may only make
 * system calls, because other threads of the parent may have held locks.
 */
static void count_in_child(int to, bool drop)
{
	struct answer answer = { .ids = { .source = PM_TRACEPOINTS_COUNTED } };
	struct rlimit limit;
	struct batch batch;
	uint64_t next = ID_FIRST;

	/* Nothing of the parent stays open, such as a pipe whose reader waits for its end. */
	dup2(to, 0);
	close_range(1, ~0U, 0);
	if (drop)
		drop_capabilities();
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}

	while (next < ID_END && !is_enough(&answer.ids) && !is_unread(0)) {
		open_batch(&batch, &next, &answer.refused);
		count_batch(&batch, &answer.ids);
		if (next == ID_END || is_enough(&answer.ids))
			break;
		for (size_t i = 0; i < batch.count; i++)
			close(batch.fds[i]);
	}

	if (write(0, &answer, sizeof answer) < 0)
		_exit(1);
	_exit(0);
}

/**
 * Reads the answer of the child.
 * @return  0; ETIME if the child does not answer in time, or ECHILD if it has ended without answer
 */
static int read_answer(int from, struct answer *answer)
{
	uint64_t end = pm_clock_ns(CLOCK_MONOTONIC) + UINT64_C(1000000) * CHILD_MAX_MS;
	struct pollfd fd = { .fd = from, .events = POLLIN };
	int ready;

	do {
		uint64_t now = pm_clock_ns(CLOCK_MONOTONIC);
		ready = now < end ? poll(&fd, 1, (int)((end - now) / 1000000) + 1) : 0;
	} while (ready < 0 && errno == EINTR);

	if (ready == 0)
		return ETIME;
	return pm_read(from, answer, sizeof *answer) == (ssize_t)sizeof *answer ? 0 : ECHILD;
}

/**
 * Counts all tracepoints. The child is a grandchild, so that init reaps it.
 * @param drop     whether the child drops its capabilities
 * @param refused  receives errno of refused calls, or of a failed call of this function
 */
static void count_all(bool drop, struct pm_tracepoint_ids *ids, int *refused)
{
	struct answer answer = { .ids = { .source = PM_TRACEPOINTS_COUNTED } };
	int ends[2];

	*ids = answer.ids;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		*refused = errno;
		return;
	}

	pid_t child = fork();
	if (child == 0) {
		if (fork() == 0)
			count_in_child(ends[1], drop);
		_exit(0);
	}
	*refused = child < 0 ? errno : 0;
	close(ends[1]);

	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (child > 0) {
		int cause = read_answer(ends[0], &answer);

		*ids = answer.ids;
		*refused = cause != 0 ? cause : answer.refused;
	}
	close(ends[0]);
}

/** Fills an error after the numbers were not found. */
static int not_found(int refused, struct pm_error *error)
{
	if (pm_errno_is_ours(refused))
		return pm_error_set(error, PM_ERROR_RESOURCES, refused,
		                    "cannot count tracepoints: this process lacks descriptors or "
		                    "memory; increase 'ulimit -n'");
	if (refused == ETIME)
		return pm_error_set(error, PM_ERROR_RESOURCES, refused,
		                    "cannot count tracepoints within %d seconds: few descriptors "
		                    "make this slow; increase 'ulimit -Hn', or run as root, which "
		                    "need not count",
		                    CHILD_MAX_MS / 1000);
	if (refused == ECHILD)
		return pm_error_set(error, PM_ERROR_RESOURCES, refused,
		                    "cannot count tracepoints: the process that counts was killed");
	if (refused == EACCES || refused == EPERM)
		return pm_error_set(error, PM_ERROR_ACCESS, refused,
		                    "the numbers of tracepoints cannot be found: tracefs cannot be "
		                    "read, and the kernel refuses to count: run as root");

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, refused,
	                    "this kernel has no tracepoints of system calls "
	                    "(CONFIG_FTRACE_SYSCALLS), which a trace by perf needs");
}

int pm_perf_tracepoints_find(const char *const *directories, struct pm_tracepoint_ids *ids,
                             struct pm_error *error)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing",
		                             NULL };
	int refused;

	for (const char *const *at = directories ? directories : usual; *at; at++)
		if (read_files(open(*at, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ids))
			return 0;
	if (!directories && read_files(open_tracefs(), ids))
		return 0;

	count_all(true, ids, &refused);
	if (is_enough(ids))
		return 0;
	if (refused == ETIME)
		return not_found(refused, error);

	count_all(false, ids, &refused);
	return is_enough(ids) ? 0 : not_found(refused, error);
}
