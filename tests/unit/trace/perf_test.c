/* SPDX-License-Identifier: MIT */
/* The backend perf on children that make known system calls: the children say the addresses, and
 * each event must have exactly these. perf_plans_test.c tests how events are selected. */
#include "trace/perf.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "support/perf_session.h"
#include "support/target.h"
#include "trace/perf_owners.h"
#include "trace/perf_rings.h"
#include "trace/perf_tracepoints.h"

enum {
	PAGE = 4096,
	MAPPED = 5 * PAGE,
	LOST_PAIRS = 20000,
	STORM_THREADS = 300,
	STORM_MAPS = 3,
	/* Sanitizers map other sizes. */
	STORM_SIZE = 13 * PAGE
};

/* --- Threads, children, exec, exit ------------------------------------------------------------ */

static void *map_in_thread(void *argument)
{
	struct log *log = argument;
	log->tid = (pid_t)syscall(SYS_gettid);
	log->addresses[0] = perf_session_map(MAPPED);
	return NULL;
}

/** Maps in a new thread, and in a child by fork, which is not part of the process. */
static void thread_and_fork(struct log *log)
{
	pthread_t thread;

	pid_t child = fork();
	if (child == 0) {
		log->addresses[1] = perf_session_map(77 * PAGE);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pthread_create(&thread, NULL, map_in_thread, log);
	pthread_join(thread, NULL);
}

static void new_threads_are_traced_but_not_children(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	bool seen = false, exited = false;

	perf_session_work(&worker, thread_and_fork);
	perf_session_open(&session, worker.pid, false);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	perf_session_collect(&session);

	for (size_t i = 0; i < session.count; i++) {
		const struct pm_trace_event *event = &session.events[i];
		bool own = event->tid == worker.log->tid;

		assert_false(event->kind == PM_TRACE_MMAP && event->arguments[1] == 77 * PAGE);
		seen |= own && event->kind == PM_TRACE_MMAP &&
		        event->result == worker.log->addresses[0];
		exited |= own && event->kind == PM_TRACE_EXIT;
	}
	assert_true(seen);
	assert_true(exited);

	perf_session_close(&session);
	perf_session_stop(&worker);
}

static void exec_true(struct log *log)
{
	(void)log;
	execl("/bin/true", "true", (char *)NULL);
}

static void exec_and_the_end_are_reported(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	struct pm_error error = { 0 };
	int result = 0;

	perf_session_work(&worker, exec_true);
	perf_session_open(&session, worker.pid, false);
	perf_session_tell(&worker);
	while (result == 0)
		result = session.calls->poll(session.backend, UINT64_MAX, false, &error);
	must(result, &error);
	assert_int_equal(result, 1);
	perf_session_collect(&session);

	size_t exec = perf_session_find(&session, PM_TRACE_EXEC, 0);
	assert_true(exec < session.count);
	/* The dynamic linker maps libc after the exec. */
	size_t map = perf_session_find(&session, PM_TRACE_MMAP, exec);
	assert_true(map < session.count);
	assert_true(perf_session_find(&session, PM_TRACE_EXIT, map) < session.count);

	perf_session_close(&session);
	perf_session_stop(&worker);
}

/** Held while threads are created: the threads wait for it. */
static pthread_rwlock_t creating = PTHREAD_RWLOCK_INITIALIZER;

/** Maps some memory, which stays, after all threads were created. */
static void *map_later(void *argument)
{
	struct log *log = argument;

	pthread_rwlock_rdlock(&creating);
	for (size_t i = 0; i < STORM_MAPS; i++) {
		size_t index = __atomic_fetch_add(&log->count, 1, __ATOMIC_SEQ_CST);
		log->addresses[index] = perf_session_map(STORM_SIZE);
	}
	pthread_rwlock_unlock(&creating);

	return NULL;
}

/** Creates threads until the test says stop. */
static void storm(struct log *log)
{
	static pthread_t threads[STORM_THREADS];
	size_t count = 0;

	pthread_rwlock_wrlock(&creating);
	while (!log->stop && count < STORM_THREADS) {
		if (pthread_create(&threads[count], NULL, map_later, log) != 0)
			break;
		log->tid = (pid_t)++count;
		usleep(500);
	}
	while (!log->stop)
		sched_yield();
	pthread_rwlock_unlock(&creating);

	while (count > 0)
		pthread_join(threads[--count], NULL);
}

/** Tests whether an event is a mapping of a thread of storm(). */
static bool is_of_storm(const struct pm_trace_event *event)
{
	return event->kind == PM_TRACE_MMAP && event->arguments[1] == STORM_SIZE;
}

static int compare_results(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
	return (first > second) - (first < second);
}

static void threads_created_while_attaching_count_once(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	size_t count = 0;

	perf_session_work(&worker, storm);
	perf_session_tell(&worker);
	while (__atomic_load_n(&worker.log->tid, __ATOMIC_SEQ_CST) < 5)
		sched_yield();
	/* The events of all threads fit into the ring of one CPU. */
	perf_session_open_small(&session, worker.pid);
	worker.log->stop = 1;
	perf_session_await(&worker);
	perf_session_collect(&session);

	uint64_t *results = calloc(session.count + 1, sizeof *results);
	for (size_t i = 0; i < session.count; i++)
		if (is_of_storm(&session.events[i]))
			results[count++] = session.events[i].result;
	qsort(results, count, sizeof *results, compare_results);
	qsort(worker.log->addresses, worker.log->count, sizeof *results, compare_results);

	assert_int_equal(perf_session_find(&session, PM_TRACE_LOST, 0), session.count);
	assert_int_equal(count, worker.log->count);
	assert_memory_equal(results, worker.log->addresses, count * sizeof *results);

	free(results);
	perf_session_close(&session);
	perf_session_stop(&worker);
}

/* --- Faults, losses --------------------------------------------------------------------------- */

static void touch(struct log *log)
{
	log->addresses[0] = perf_session_map(MAPPED);
	for (size_t i = 0; i < MAPPED; i += PAGE)
		*(volatile char *)(log->addresses[0] + i) = 1;
}

static void each_page_has_a_fault(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	size_t found = 0;

	perf_session_work(&worker, touch);
	perf_session_open(&session, worker.pid, true);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	perf_session_collect(&session);

	for (size_t i = 0; i < session.count; i++) {
		uint64_t offset = session.events[i].arguments[0] - worker.log->addresses[0];
		if (session.events[i].kind == PM_TRACE_FAULT && offset < MAPPED)
			assert_int_equal(offset, found++ * PAGE);
	}
	assert_int_equal(found, MAPPED / PAGE);

	perf_session_close(&session);
	perf_session_stop(&worker);
}

static void map_and_unmap(struct log *log)
{
	(void)log;
	for (size_t i = 0; i < LOST_PAIRS; i++)
		syscall(SYS_munmap, perf_session_map(PAGE), (long)PAGE);
}

/** Takes all events up to now while the trace continues. Returns their number, with those lost. */
static size_t count_now(struct session *session, uint64_t *lost)
{
	struct pm_error error = { 0 };
	size_t count = 0;

	*lost = 0;
	for (int i = 0; i < 2; i++) {
		uint64_t now = pm_clock_ns(CLOCK_MONOTONIC);
		must(session->calls->poll(session->backend, now, false, &error), &error);
	}
	for (size_t i = 0; i < session->count; i++) {
		if (session->events[i].kind == PM_TRACE_LOST)
			*lost += session->events[i].arguments[0];
		else
			count++;
	}
	return count + *lost;
}

/* The kernel reports lost events with the next event, and counts them at once. */
static void losses_are_known_before_the_next_event(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	uint64_t lost;

	perf_session_work(&worker, map_and_unmap);
	perf_session_open(&session, worker.pid, false);
	for (size_t round = 1; round <= 2; round++) {
		perf_session_tell(&worker);
		perf_session_await(&worker);
		assert_int_equal(count_now(&session, &lost), 2 * LOST_PAIRS * round);
		assert_true(lost > 0);
	}

	perf_session_close(&session);
	perf_session_stop(&worker);
}

static void each_event_is_recorded_or_lost(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	struct pm_trace_state now = { 0 };
	uint64_t lost = 0;
	size_t count = 0;

	perf_session_work(&worker, map_and_unmap);
	perf_session_open(&session, worker.pid, false);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	perf_session_collect(&session);
	session.calls->state(session.backend, &now);

	for (size_t i = 0; i < session.count; i++) {
		if (session.events[i].kind == PM_TRACE_LOST)
			lost += session.events[i].arguments[0];
		else
			count++;
		if (i > 0)
			assert_true(session.events[i - 1].time <= session.events[i].time);
	}
	/* The rings have at most 64 MiB, and each of the mappings has a stack of 8 KiB. */
	assert_true(lost > 0);
	assert_int_equal(now.lost, lost);
	assert_int_equal(count + lost, 2 * LOST_PAIRS);

	perf_session_close(&session);
	perf_session_stop(&worker);
}

/* --- Tracepoints, owners ---------------------------------------------------------------------- */

static void counted_numbers_are_those_of_tracefs(void **state)
{
	(void)state;
	static const char *const none[] = { NULL };
	struct pm_tracepoint_ids files, counted;
	struct pm_error error = { 0 };

	if (pm_perf_tracepoints_find(NULL, &files, &error) < 0 ||
	    files.source != PM_TRACEPOINTS_FILES)
		skip_because("tracefs cannot be read");
	must(pm_perf_tracepoints_find(none, &counted, &error), &error);

	assert_int_equal(counted.source, PM_TRACEPOINTS_COUNTED);
	for (size_t i = 0; i < PM_TRACEPOINT_CALLS; i++)
		assert_int_equal(counted.ids[i], files.ids[i]);
}

static void highest_owner_counts(void **state)
{
	(void)state;
	struct pm_perf_owners owners = { 0 };

	for (pid_t tid = 1; tid < 3000; tid++)
		assert_int_equal(pm_perf_owners_add(&owners, tid, 5, NULL), 1);
	assert_int_equal(pm_perf_owners_add(&owners, 7, 4, NULL), 0);
	assert_int_equal(pm_perf_owners_add(&owners, 7, 6, NULL), 1);
	assert_int_equal(pm_perf_owners_add(&owners, 7, 5, NULL), 0);
	assert_int_equal(pm_perf_owners_find(&owners, 7), 6);
	assert_int_equal(pm_perf_owners_find(&owners, 8), 5);

	pm_perf_owners_forget(&owners, 7);
	assert_int_equal(pm_perf_owners_add(&owners, 7, 1, NULL), 1);
	assert_int_equal(pm_perf_owners_find(&owners, 2999), 5);
	pm_perf_owners_clear(&owners);
	assert_int_equal(pm_perf_owners_find(&owners, 7), 0);
}

static void rings_are_at_most_64_mib(void **state)
{
	(void)state;
	for (size_t cpus = 1, size; cpus <= 1024; cpus++) {
		size = pm_perf_rings_plan(cpus, (1 << 16));
		assert_in_range(size, (1 << 16), PM_PERF_RINGS_MAX / cpus);
	}
	assert_int_equal(pm_perf_rings_plan(1025, (1 << 16)), 0);
	assert_int_equal(pm_perf_rings_plan(1025, 1 << 15), 1 << 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_threads_are_traced_but_not_children),
		cmocka_unit_test(exec_and_the_end_are_reported),
		cmocka_unit_test(threads_created_while_attaching_count_once),
		cmocka_unit_test(each_page_has_a_fault),
		cmocka_unit_test(losses_are_known_before_the_next_event),
		cmocka_unit_test(each_event_is_recorded_or_lost),
		cmocka_unit_test(counted_numbers_are_those_of_tracefs),
		cmocka_unit_test(highest_owner_counts),
		cmocka_unit_test(rings_are_at_most_64_mib),
	};
	return cmocka_run_group_tests_name("trace/perf", tests, NULL, NULL);
}
