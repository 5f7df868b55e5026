/* SPDX-License-Identifier: MIT */
#include "support/perf_session.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "support/target.h"
#include "trace/perf.h"
#include "trace/ptrace.h"

/** Runs the child: a job for each byte that it reads. */
static void work(const struct worker *worker, void (*job)(struct log *log), int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1) {
		job(worker->log);
		if (write(to, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

void perf_session_work(struct worker *worker, void (*job)(struct log *log))
{
	int to[2], from[2];

	worker->log = mmap(NULL, sizeof *worker->log, PROT_READ | PROT_WRITE,
	                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(worker->log, MAP_FAILED);
	assert_int_equal(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);

	worker->pid = fork();
	assert_true(worker->pid >= 0);
	if (worker->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to[1]);
		close(from[0]);
		work(worker, job, to[0], from[1]);
	}

	close(to[0]);
	close(from[1]);
	worker->to = to[1];
	worker->from = from[0];
}

void perf_session_tell(const struct worker *worker)
{
	assert_int_equal(write(worker->to, "x", 1), 1);
}

void perf_session_await(const struct worker *worker)
{
	char byte;
	assert_int_equal(read(worker->from, &byte, 1), 1);
}

void perf_session_stop(struct worker *worker)
{
	kill(worker->pid, SIGKILL);
	waitpid(worker->pid, NULL, 0);
	close(worker->to);
	close(worker->from);
	munmap(worker->log, sizeof *worker->log);
}

static int record(void *context, const struct pm_trace_event *event, struct pm_error *error)
{
	struct session *session = context;

	if (pm_array_reserve(&session->events, &session->capacity, session->count, 1,
	                     sizeof *session->events, error) < 0)
		return -1;
	session->events[session->count++] = *event;
	return 0;
}

/** Opens the process, and fills what a backend needs. */
static void fill(struct session *session, pid_t pid, bool faults)
{
	*session = (struct session){ .options = { .faults = faults, .stack_size = 8192 } };
	session->target = (struct pm_trace_target){ .process = open_process(pid),
		                                    .options = &session->options,
		                                    .sink = { record, session } };
}

void perf_session_open_ptrace(struct session *session, pid_t pid)
{
	struct pm_error error = { 0 };

	fill(session, pid, false);
	must(pm_trace_ptrace_open(&session->target, NULL, &session->calls, &session->backend,
	                          &error),
	     &error);
}

int perf_session_try(struct session *session, pid_t pid, bool faults, struct pm_error *error)
{
	fill(session, pid, faults);
	return pm_trace_perf_open(&session->target, &session->calls, &session->backend, error);
}

/** Checks the result of opening. Skips the test if the kernel refuses events. */
static void check_open(int result, const struct pm_error *error)
{
	if (result < 0 && !getenv("CMOCKA_TEST_ABORT") &&
	    (error->kind == PM_ERROR_ACCESS || error->kind == PM_ERROR_UNSUPPORTED))
		skip_because("%s", error->text);
	must(result, error);
}

void perf_session_open(struct session *session, pid_t pid, bool faults)
{
	struct pm_error error = { 0 };

	check_open(perf_session_try(session, pid, faults, &error), &error);
}

void perf_session_open_small(struct session *session, pid_t pid)
{
	struct pm_error error = { 0 };

	fill(session, pid, false);
	session->options.stack_size = 256;
	check_open(pm_trace_perf_open(&session->target, &session->calls, &session->backend, &error),
	           &error);
}

void perf_session_collect(struct session *session)
{
	struct pm_error error = { 0 };
	must(session->calls->poll(session->backend, 0, true, &error), &error);
}

void perf_session_close(struct session *session)
{
	session->calls->close(session->backend);
	pm_process_close((struct pm_process *)session->target.process);
	free(session->events);
}

size_t perf_session_find(const struct session *session, enum pm_trace_kind kind, size_t from)
{
	while (from < session->count && session->events[from].kind != kind)
		from++;
	return from;
}

const struct pm_trace_event *perf_session_next(const struct session *session,
                                               enum pm_trace_kind kind, size_t *from)
{
	size_t at = perf_session_find(session, kind, *from);

	if (at == session->count)
		fail_msg("no event of kind %d after %zu of %zu", (int)kind, *from, session->count);
	*from = at + 1;
	return &session->events[at];
}

enum { PAGE = 4096, MAPPED = 5 * PAGE };

uint64_t perf_session_map(size_t size)
{
	return (uint64_t)syscall(SYS_mmap, 0L, size, PROT_READ | PROT_WRITE,
	                         MAP_PRIVATE | MAP_ANONYMOUS, -1L, 0L);
}

enum { A_MMAP, A_MREMAP, A_BRK, A_SHMAT };

void perf_session_calls(struct log *log)
{
	int segment = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);

	log->tid = (pid_t)syscall(SYS_gettid);
	log->addresses[A_MMAP] = perf_session_map(MAPPED);
	syscall(SYS_mprotect, log->addresses[A_MMAP], (long)MAPPED, (long)PROT_READ);
	syscall(SYS_madvise, log->addresses[A_MMAP], (long)MAPPED, (long)MADV_WILLNEED);
	syscall(SYS_madvise, log->addresses[A_MMAP], (long)MAPPED, (long)MADV_DONTNEED);
	log->addresses[A_MREMAP] = (uint64_t)syscall(SYS_mremap, log->addresses[A_MMAP],
	                                             (long)MAPPED, 64L * PAGE, 1L, 0L);
	syscall(SYS_munmap, log->addresses[A_MREMAP], 64L * PAGE);
	syscall(SYS_munmap, 1L, (long)PAGE);
	log->addresses[A_BRK] = (uint64_t)syscall(SYS_brk, syscall(SYS_brk, 0L) + 3 * PAGE);
	log->addresses[A_SHMAT] = (uint64_t)syscall(SYS_shmat, segment, 0L, 0L);
	syscall(SYS_shmdt, log->addresses[A_SHMAT]);
	shmctl(segment, IPC_RMID, NULL);
}

void perf_session_check_calls(const struct session *session, const struct log *log)
{
	size_t at = 0;
	uint64_t mapped = log->addresses[A_MMAP];

	/* A sanitizer maps memory of other sizes before. */
	const struct pm_trace_event *event = perf_session_next(session, PM_TRACE_MMAP, &at);
	while (event->arguments[1] != MAPPED)
		event = perf_session_next(session, PM_TRACE_MMAP, &at);
	assert_int_equal(event->result, mapped);
	assert_int_equal(event->arguments[2], PROT_READ | PROT_WRITE);
	assert_int_equal(event->arguments[3], MAP_PRIVATE | MAP_ANONYMOUS);
	assert_int_equal(event->tid, log->tid);

	event = perf_session_next(session, PM_TRACE_MPROTECT, &at);
	assert_int_equal(event->arguments[0], mapped);
	assert_int_equal(event->arguments[2], PROT_READ);

	/* The other advice is not passed. */
	event = perf_session_next(session, PM_TRACE_MADVISE, &at);
	assert_int_equal(event->arguments[2], MADV_DONTNEED);

	event = perf_session_next(session, PM_TRACE_MREMAP_BEGIN, &at);
	assert_int_equal(event->arguments[0], mapped);
	event = perf_session_next(session, PM_TRACE_MREMAP, &at);
	assert_int_equal(event->arguments[2], 64 * PAGE);
	assert_int_equal(event->result, log->addresses[A_MREMAP]);

	event = perf_session_next(session, PM_TRACE_MUNMAP_BEGIN, &at);
	assert_int_equal(event->arguments[0], log->addresses[A_MREMAP]);
	event = perf_session_next(session, PM_TRACE_MUNMAP_BEGIN, &at);
	assert_int_equal(event->arguments[0], 1);
	event = perf_session_next(session, PM_TRACE_MUNMAP_FAILED, &at);
	assert_int_equal(event->arguments[0], 1);
	assert_int_equal(event->result, (uint64_t)-EINVAL);

	perf_session_next(session, PM_TRACE_BRK, &at);
	event = perf_session_next(session, PM_TRACE_BRK, &at);
	assert_int_equal(event->result, log->addresses[A_BRK]);
	event = perf_session_next(session, PM_TRACE_SHMAT, &at);
	assert_int_equal(event->result, log->addresses[A_SHMAT]);
	event = perf_session_next(session, PM_TRACE_SHMDT_BEGIN, &at);
	assert_int_equal(event->arguments[0], log->addresses[A_SHMAT]);
	assert_int_equal(perf_session_find(session, PM_TRACE_LOST, 0), session->count);
}
