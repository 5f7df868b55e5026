/* SPDX-License-Identifier: MIT */
#include "support/perf_session.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "support/target.h"
#include "trace/perf.h"

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

int perf_session_try(struct session *session, pid_t pid, bool faults, struct pm_error *error)
{
	*session = (struct session){
		.options = { .backend = PM_TRACE_PERF, .faults = faults, .stack_size = 8192 }
	};
	session->target = (struct pm_trace_target){ .process = open_process(pid),
		                                    .options = &session->options,
		                                    .sink = { record, session } };
	return pm_trace_perf_open(&session->target, &session->calls, &session->backend, error);
}

void perf_session_open(struct session *session, pid_t pid, bool faults)
{
	struct pm_error error = { 0 };

	int result = perf_session_try(session, pid, faults, &error);
	if (result < 0 && !getenv("CMOCKA_TEST_ABORT") &&
	    (error.kind == PM_ERROR_ACCESS || error.kind == PM_ERROR_UNSUPPORTED))
		skip_because("%s", error.text);
	must(result, &error);
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
