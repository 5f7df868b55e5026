/* SPDX-License-Identifier: MIT */
/* The backend perf, if it opens events of one plan, and then uses another plan. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/perf_session.h"
#include "support/target.h"

enum { PAGE = 4096, THREADS = 10 };

static void *wait_forever(void *argument)
{
	for (;;)
		pause();
	return argument;
}

/** Creates threads first. The next job maps memory until the test says stop. */
static void map_after_threads(struct log *log)
{
	pthread_t thread;

	if (log->count == THREADS) {
		while (!log->stop)
			syscall(SYS_munmap, perf_session_map(PAGE), (long)PAGE);
		return;
	}
	while (log->count < THREADS && pthread_create(&thread, NULL, wait_forever, NULL) == 0)
		log->count++;
}

/**
 * The descriptors suffice for events of each call, but this process has more open than is expected,
 * so that some of these events are opened, record, and are closed.
 */
static void trace_after_failed_plan(void)
{
	enum { HELD = 100, CALLS = 10 };
	rlim_t count = 64 + (rlim_t)sysconf(_SC_NPROCESSORS_ONLN) * (CALLS * (THREADS + 1) + 1);
	const struct rlimit limit = { count, count };
	struct pm_trace_state state = { 0 };
	struct session session;
	struct worker worker;

	perf_session_work(&worker, map_after_threads);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	assert_int_equal(worker.log->count, THREADS);
	for (int i = 0; i < HELD; i++)
		assert_true(dup(worker.to) >= 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);

	perf_session_tell(&worker);
	perf_session_open(&session, worker.pid, false);
	perf_session_collect(&session);
	session.calls->state(session.backend, &state);
	assert_non_null(strstr(state.plan, "two events"));

	worker.log->stop = 1;
	perf_session_await(&worker);
	perf_session_close(&session);
	perf_session_stop(&worker);
}

/** Works in a child, because the limits change. */
static void records_of_closed_events_are_ignored(void **state)
{
	(void)state;
	int status;

	if (geteuid() != 0)
		skip_because("only root can use the other plans");

	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		trace_after_failed_plan();
		_exit(0);
	}

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_closed_events_are_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
