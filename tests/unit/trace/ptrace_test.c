/* SPDX-License-Identifier: MIT */
/* The backend ptrace on children that make known system calls, and what a child notices of it. */
#include "trace/ptrace.h"

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
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/perf_session.h"
#include "support/target.h"
#include "trace/ptrace_ring.h"

enum { PAGE = 4096, MAPPED = 5 * PAGE, MANY = 2000, SIGNALS = 200, KILLS = 20 };

/** Starts a child that has one thread and has done nothing. */
static void start(struct worker *worker, void (*job)(struct log *log))
{
	perf_session_work(worker, job);
}

/** Returns the process that traces a child; 0 if there is none. */
static pid_t tracer_of(pid_t pid)
{
	struct pm_process *process = open_process(pid);
	struct pm_process_info info;
	struct pm_error error = { 0 };

	must(pm_process_read_info(process, &info, &error), &error);
	pm_process_close(process);
	return info.tracer;
}

/** Waits until a child is in a state. */
static void await_state(pid_t pid, char wanted)
{
	struct pm_process *process = open_process(pid);
	struct pm_process_info info = { 0 };
	struct pm_error error = { 0 };

	while (info.state != wanted) {
		must(pm_process_read_info(process, &info, &error), &error);
		sched_yield();
	}
	pm_process_close(process);
}

/* --- Events ----------------------------------------------------------------------------------- */

static void each_call_has_its_event(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;

	start(&worker, perf_session_calls);
	perf_session_open_ptrace(&session, worker.pid);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	perf_session_collect(&session);
	perf_session_check_calls(&session, worker.log);

	perf_session_close(&session);
	assert_int_equal(tracer_of(worker.pid), 0);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	perf_session_stop(&worker);
}

static void *map_in_thread(void *argument)
{
	struct log *log = argument;

	log->tid = (pid_t)syscall(SYS_gettid);
	log->addresses[0] = perf_session_map(MAPPED);
	return NULL;
}

/** Maps in a new thread, in a child by fork, and in a child by vfork. */
static void thread_and_children(struct log *log)
{
	pthread_t thread;

	pid_t child = fork();
	if (child == 0) {
		perf_session_map(77 * PAGE);
		_exit(0);
	}
	waitpid(child, NULL, 0);

	child = vfork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);

	/* A child whose end sends no signal: the kernel attaches it like a thread. */
	child = (pid_t)syscall(SYS_clone, 0L, NULL, NULL, NULL, 0L);
	if (child == 0) {
		perf_session_map(77 * PAGE);
		_exit(0);
	}
	waitpid(child, NULL, __WALL);

	pthread_create(&thread, NULL, map_in_thread, log);
	pthread_join(thread, NULL);
}

static void threads_are_traced_but_not_children(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	bool seen = false;

	start(&worker, thread_and_children);
	perf_session_open_ptrace(&session, worker.pid);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	perf_session_collect(&session);

	for (size_t i = 0; i < session.count; i++) {
		const struct pm_trace_event *event = &session.events[i];

		assert_false(event->kind == PM_TRACE_MMAP && event->arguments[1] == 77 * PAGE);
		seen |= event->tid == worker.log->tid && event->kind == PM_TRACE_MMAP &&
		        event->result == worker.log->addresses[0];
	}
	assert_true(seen);

	perf_session_close(&session);
	perf_session_stop(&worker);
}

static void *wait_in_thread(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static void *exec_in_thread(void *argument)
{
	execl("/bin/true", "true", (char *)NULL);
	return argument;
}

/** Calls exec in a thread that is not the first. */
static void exec_true(struct log *log)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_in_thread, log);
	pthread_create(&thread, NULL, exec_in_thread, log);
	wait_in_thread(NULL);
}

static void exec_and_the_end_are_reported(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	struct pm_error error = { 0 };
	int result = 0;

	start(&worker, exec_true);
	perf_session_open_ptrace(&session, worker.pid);
	perf_session_tell(&worker);
	while (result == 0)
		result = session.calls->poll(session.backend, UINT64_MAX, false, &error);
	must(result, &error);
	perf_session_collect(&session);

	size_t exec = perf_session_find(&session, PM_TRACE_EXEC, 0);
	assert_true(exec < session.count);
	assert_int_equal(session.events[exec].tid, worker.pid);
	/* The dynamic linker maps libc after the exec. */
	size_t map = perf_session_find(&session, PM_TRACE_MMAP, exec);
	assert_true(map < session.count);
	assert_int_equal(session.events[map].tid, worker.pid);

	perf_session_close(&session);
	perf_session_stop(&worker);
}

/* --- What the target notices ------------------------------------------------------------------ */

static volatile sig_atomic_t delivered;

static void count_signal(int number)
{
	(void)number;
	delivered = delivered + 1;
}

/** Waits until a number of signals was delivered. */
static void await_signals(struct log *log)
{
	signal(SIGRTMIN, count_signal);
	log->tid = 1;
	while (delivered < SIGNALS)
		usleep(100);
	log->count = (size_t)delivered;
}

static void signals_are_delivered(void **state)
{
	(void)state;
	const union sigval none = { 0 };
	struct worker worker;
	struct session session;

	start(&worker, await_signals);
	perf_session_open_ptrace(&session, worker.pid);
	perf_session_tell(&worker);
	while (__atomic_load_n(&worker.log->tid, __ATOMIC_SEQ_CST) == 0)
		sched_yield();
	for (int i = 0; i < SIGNALS; i++)
		assert_int_equal(sigqueue(worker.pid, SIGRTMIN, none), 0);
	perf_session_await(&worker);
	assert_int_equal(worker.log->count, SIGNALS);

	perf_session_close(&session);
	perf_session_stop(&worker);
}

static void stopped_process_stays_stopped(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	siginfo_t info = { 0 };

	start(&worker, perf_session_calls);
	kill(worker.pid, SIGSTOP);
	assert_int_equal(waitid(P_PID, (id_t)worker.pid, &info, WSTOPPED), 0);
	perf_session_open_ptrace(&session, worker.pid);
	perf_session_tell(&worker);

	/* SIGCONT and SIGSTOP work while traced, and the parent is informed. */
	kill(worker.pid, SIGCONT);
	perf_session_await(&worker);
	kill(worker.pid, SIGSTOP);
	assert_int_equal(waitid(P_PID, (id_t)worker.pid, &info, WSTOPPED), 0);
	perf_session_close(&session);

	/* The end of the trace does not continue it, though it wakes for a moment. */
	await_state(worker.pid, 'T');
	assert_int_equal(tracer_of(worker.pid), 0);

	perf_session_tell(&worker);
	kill(worker.pid, SIGCONT);
	perf_session_await(&worker);
	perf_session_stop(&worker);
}

/** Waits with epoll_wait until the other end has written to the pipe in addresses[0]. */
static void wait_with_epoll(struct log *log)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(epoll, EPOLL_CTL_ADD, (int)log->addresses[0], &event);
	log->tid = 1;
	while (epoll_wait(epoll, &event, 1, -1) < 0 && errno == EINTR)
		log->count++;
	close(epoll);
}

static void end_of_the_trace_interrupts_nothing(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	uint64_t one = 1;
	int fd = eventfd(0, EFD_CLOEXEC);

	start(&worker, wait_with_epoll);
	worker.log->addresses[0] = (uint64_t)fd;
	perf_session_tell(&worker);
	while (__atomic_load_n(&worker.log->tid, __ATOMIC_SEQ_CST) == 0)
		sched_yield();
	for (int i = 0; i < KILLS; i++) {
		perf_session_open_ptrace(&session, worker.pid);
		perf_session_close(&session);
	}
	assert_int_equal(write(fd, &one, sizeof one), sizeof one);
	perf_session_await(&worker);

	/* Each attach interrupts the call once. */
	assert_true(worker.log->count <= KILLS);
	perf_session_stop(&worker);
	close(fd);
}

static void create_many(struct log *log)
{
	pthread_attr_t attributes;
	pthread_t thread;

	if (log->count > 0) {
		perf_session_calls(log);
		return;
	}
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 * 1024);
	while (log->count < MANY && pthread_create(&thread, &attributes, wait_in_thread, NULL) == 0)
		log->count++;
}

static void many_threads_are_attached(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	struct pm_trace_state now = { 0 };

	start(&worker, create_many);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	if (worker.log->count < MANY) {
		perf_session_stop(&worker);
		skip_because("cannot create 2000 threads");
	}

	perf_session_open_ptrace(&session, worker.pid);
	session.calls->state(session.backend, &now);
	assert_int_equal(now.threads, MANY + 1);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	perf_session_collect(&session);
	perf_session_check_calls(&session, worker.log);

	perf_session_close(&session);
	assert_int_equal(tracer_of(worker.pid), 0);
	perf_session_tell(&worker);
	perf_session_await(&worker);
	perf_session_stop(&worker);
}

/** Maps and unmaps until the test says stop. */
static void map_until_stopped(struct log *log)
{
	while (!log->stop) {
		syscall(SYS_munmap, perf_session_map(PAGE), (long)PAGE);
		log->count++;
	}
}

/** Traces a process until it is killed. */
static void trace_forever(pid_t pid, int ready)
{
	struct session session;
	struct pm_error error = { 0 };

	setenv("CMOCKA_TEST_ABORT", "1", 1);
	perf_session_open_ptrace(&session, pid);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		session.calls->poll(session.backend, UINT64_MAX, false, &error);
}

static void killed_tracer_leaves_the_target_running(void **state)
{
	(void)state;
	struct worker worker;
	int ends[2];
	char byte;

	start(&worker, map_until_stopped);
	perf_session_tell(&worker);
	for (int i = 0; i < KILLS; i++) {
		assert_int_equal(pipe(ends), 0);
		pid_t child = fork();
		if (child == 0)
			trace_forever(worker.pid, ends[1]);
		close(ends[1]);
		assert_int_equal(read(ends[0], &byte, 1), 1);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);

		/* The pipe ends when the other processes have ended, too. */
		while (tracer_of(worker.pid) != 0)
			sched_yield();
		size_t count = __atomic_load_n(&worker.log->count, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&worker.log->count, __ATOMIC_SEQ_CST) < count + 10)
			sched_yield();
		close(ends[0]);
	}

	worker.log->stop = 1;
	perf_session_await(&worker);
	perf_session_stop(&worker);
}

/* --- Refusals, the ring ----------------------------------------------------------------------- */

static void faults_are_refused(void **state)
{
	(void)state;
	struct worker worker;
	struct pm_error error = { 0 };
	struct pm_trace *trace;
	const struct pm_trace_options options = { .backend = PM_TRACE_PTRACE, .faults = true };

	start(&worker, perf_session_calls);
	struct pm_process *process = open_process(worker.pid);
	assert_int_equal(pm_trace_attach(process, &options, &trace, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_non_null(strstr(error.text, "page faults"));
	pm_process_close(process);
	perf_session_stop(&worker);
}

static void second_tracer_is_refused(void **state)
{
	(void)state;
	struct worker worker;
	struct session session;
	struct pm_error error = { 0 };
	struct pm_trace *trace;
	const struct pm_trace_options options = { .backend = PM_TRACE_PTRACE };

	start(&worker, perf_session_calls);
	perf_session_open_ptrace(&session, worker.pid);
	assert_int_equal(pm_trace_attach(session.target.process, &options, &trace, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_ACCESS);
	assert_non_null(strstr(error.text, "only one tracer"));
	perf_session_close(&session);
	perf_session_stop(&worker);
}

static void ring_keeps_order_and_counts_losses(void **state)
{
	(void)state;
	struct pm_ptrace_ring *ring = calloc(1, sizeof *ring);
	uint64_t position = 0, written = 0, next = 0;

	assert_non_null(ring);
	for (int round = 0; round < 3; round++) {
		struct pm_ptrace_record *place;

		/* Sizes that do not divide the size of the ring. */
		while ((place = pm_ptrace_ring_reserve(ring, 8192 + 8))) {
			place->event.time = written;
			place->stack_size = (uint32_t)(written++ % 8200);
			memset(place + 1, (int)(written % 251), place->stack_size);
			pm_ptrace_ring_commit(ring, place);
		}
		assert_int_equal(ring->lost, round + 1);

		const struct pm_ptrace_record *record;
		while ((record = pm_ptrace_ring_next(ring, &position))) {
			const unsigned char *stack = (const void *)(record + 1);

			assert_int_equal(record->event.time, next);
			assert_int_equal(record->stack_size, next++ % 8200);
			for (uint32_t i = 0; i < record->stack_size; i++)
				assert_true(stack[i] == next % 251);
			assert_true((const unsigned char *)stack + record->stack_size <=
			            ring->bytes + PM_PTRACE_RING_SIZE);
		}
		pm_ptrace_ring_release(ring, position);
	}
	assert_int_equal(next, written);
	free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_has_its_event),
		cmocka_unit_test(threads_are_traced_but_not_children),
		cmocka_unit_test(exec_and_the_end_are_reported),
		cmocka_unit_test(signals_are_delivered),
		cmocka_unit_test(stopped_process_stays_stopped),
		cmocka_unit_test(end_of_the_trace_interrupts_nothing),
		cmocka_unit_test(many_threads_are_attached),
		cmocka_unit_test(killed_tracer_leaves_the_target_running),
		cmocka_unit_test(faults_are_refused),
		cmocka_unit_test(second_tracer_is_refused),
		cmocka_unit_test(ring_keeps_order_and_counts_losses),
	};
	return cmocka_run_group_tests_name("trace/ptrace", tests, NULL, NULL);
}
