/* SPDX-License-Identifier: MIT */
/* How the backend perf selects events: by the descriptors and the privileges of its process. */
#include "trace/perf.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/perf_session.h"
#include "support/target.h"
#include "trace/perf_events.h"

enum {
	PAGE = 4096,
	MAPPED = 5 * PAGE,
	NOBODY = 65534,
	THREADS = 10,
	MANY_THREADS = 200,
	FEW_DESCRIPTORS = 1000,
};

static void *wait_forever(void *argument)
{
	for (;;)
		pause();
	return argument;
}

/** Creates threads that do nothing. */
static void create_threads(struct log *log, size_t count)
{
	pthread_t thread;

	while (log->count < count && pthread_create(&thread, NULL, wait_forever, NULL) == 0)
		log->count++;
}

/** Creates threads. The next job is that of perf_session_calls(). */
static void each_call_after_threads(struct log *log)
{
	if (log->count == THREADS)
		perf_session_calls(log);
	else
		create_threads(log, THREADS);
}

/** Traces all calls, and checks the events and the plan. */
static void trace_each_call(enum pm_perf_plan plan)
{
	static const char *const words[] = { "per thread, CPU", "two events", "all processes" };
	struct worker worker;
	struct session session;
	struct pm_trace_state state = { 0 };

	perf_session_work(&worker, each_call_after_threads);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	assert_int_equal(worker.log->count, THREADS);

	perf_session_open(&session, worker.pid, false);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	perf_session_collect(&session);
	session.calls->state(session.backend, &state);

	assert_non_null(strstr(state.plan, words[plan]));
	assert_int_equal(state.lost, 0);
	assert_true(state.descriptors > 0 && state.events >= 12);
	perf_session_check_calls(&session, worker.log);

	perf_session_close(&session);
	perf_session_stop(&worker);
}

static void each_call_has_its_event(void **state)
{
	(void)state;
	trace_each_call(PM_PERF_PER_THREAD);
}

/* --- Fewer descriptors, other users ----------------------------------------------------------- */

/** Limits the descriptors of this process so that a plan is the first that fits. */
static void limit_descriptors(enum pm_perf_plan plan)
{
	/* See needed() in perf_events.c: a filtered plan has 2 events for each thread. The plan of
	 * all processes has 10 in all, which is less. */
	rlim_t each = plan == PM_PERF_FILTERED ? 2 * (THREADS + 1) + 1 : 11;
	rlim_t count = 64 + (rlim_t)sysconf(_SC_NPROCESSORS_ONLN) * each;
	struct rlimit limit = { count, count };

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/** Runs a function in a child, because it changes the limits or the user. */
static void in_child(void (*function)(void))
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		/* A failure must not run the other tests in the child. */
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		function();
		_exit(0);
	}

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void need_root(void)
{
	if (geteuid() != 0)
		skip_because("only root has privileges to drop");
}

static void become_nobody(void)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0)
		_exit(3);
	/* Its children shall be ordinary processes. */
	prctl(PR_SET_DUMPABLE, 1);
}

static void trace_filtered(void)
{
	limit_descriptors(PM_PERF_FILTERED);
	trace_each_call(PM_PERF_FILTERED);
}

static void few_descriptors_need_a_filter(void **state)
{
	(void)state;
	need_root();
	in_child(trace_filtered);
}

/** Creates threads. The next job maps and unmaps memory until the test stops it. */
static void map_after_threads(struct log *log)
{
	if (log->count < MANY_THREADS)
		create_threads(log, MANY_THREADS);
	else
		while (!log->stop)
			munmap((void *)(uintptr_t)perf_session_map(MAPPED), MAPPED);
}

/**
 * An event of each thread, CPU and call seems to fit, but the descriptors do not suffice, because
 * the test holds some of them. The first events record already when the plan is given up: to open
 * the others takes some 0.1 s.
 */
static void trace_after_a_failed_plan(void)
{
	const rlim_t cpus = (rlim_t)sysconf(_SC_NPROCESSORS_ONLN);
	const rlim_t count = 64 + cpus * (10 * (MANY_THREADS + 1) + 1), held = 64 + cpus * 1000;
	const struct rlimit limit = { count, count };
	struct pm_trace_state state = { 0 };
	struct session session;
	struct worker worker;

	perf_session_work(&worker, map_after_threads);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	assert_int_equal(worker.log->count, MANY_THREADS);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (rlim_t i = 0; i < held; i++)
		assert_true(dup(worker.to) >= 0);

	perf_session_tell(&worker);
	perf_session_open(&session, worker.pid, false);
	perf_session_collect(&session);
	session.calls->state(session.backend, &state);
	assert_non_null(strstr(state.plan, "two events"));

	worker.log->stop = 1;
	perf_session_await(&worker);
	perf_session_collect(&session);
	perf_session_close(&session);
	perf_session_stop(&worker);
}

static void records_of_a_failed_plan_are_ignored(void **state)
{
	(void)state;
	need_root();
	in_child(trace_after_a_failed_plan);
}

static void trace_all_processes(void)
{
	limit_descriptors(PM_PERF_PER_CPU);
	trace_each_call(PM_PERF_PER_CPU);
}

static void fewer_descriptors_need_all_processes(void **state)
{
	(void)state;
	need_root();
	in_child(trace_all_processes);
}

static void trace_own_as_nobody(void)
{
	become_nobody();
	trace_each_call(PM_PERF_PER_THREAD);
}

static void user_traces_own_process(void **state)
{
	(void)state;
	need_root();
	in_child(trace_own_as_nobody);
}

static void trace_parent_as_nobody(void)
{
	struct session session;
	struct pm_error error = { 0 };

	become_nobody();
	assert_int_equal(perf_session_try(&session, getppid(), false, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_ACCESS);
	assert_non_null(strstr(error.text, "cannot trace process"));
}

static void process_of_another_user_is_refused(void **state)
{
	(void)state;
	need_root();
	in_child(trace_parent_as_nobody);
}

static void create_many_threads(struct log *log)
{
	create_threads(log, MANY_THREADS);
}

/** The descriptors suffice to count tracepoints, but not for an event of each thread and call. */
static void trace_few_as_nobody(void)
{
	const struct rlimit limit = { FEW_DESCRIPTORS, FEW_DESCRIPTORS };
	struct session session;
	struct pm_error error = { 0 };
	struct worker worker;

	become_nobody();
	perf_session_work(&worker, create_many_threads);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	assert_int_equal(worker.log->count, MANY_THREADS);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(perf_session_try(&session, worker.pid, false, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_RESOURCES);
	assert_non_null(strstr(error.text, "ulimit -Hn"));
	assert_non_null(strstr(error.text, "the 201 threads"));
	perf_session_stop(&worker);
}

static void user_with_few_descriptors_is_refused(void **state)
{
	(void)state;
	need_root();
	in_child(trace_few_as_nobody);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_has_its_event),
		cmocka_unit_test(few_descriptors_need_a_filter),
		cmocka_unit_test(records_of_a_failed_plan_are_ignored),
		cmocka_unit_test(fewer_descriptors_need_all_processes),
		cmocka_unit_test(user_traces_own_process),
		cmocka_unit_test(process_of_another_user_is_refused),
		cmocka_unit_test(user_with_few_descriptors_is_refused),
	};
	return cmocka_run_group_tests_name("trace/perf plans", tests, NULL, NULL);
}
