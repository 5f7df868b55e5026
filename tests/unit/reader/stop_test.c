/* SPDX-License-Identifier: MIT */
#include <procmem/maps.h>
#include <procmem/stop.h>
#include <procmem/target_reader.h>

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/target.h"

enum { STOPS = 40 };

/** A target and its handle. */
struct session {
	struct target target;
	struct pm_process *process;
};

static void begin(struct session *session, const char *threads)
{
	struct pm_error error;
	*session = (struct session){ 0 };
	target_start(&session->target, "busy", threads, NULL);
	must(pm_process_open(NULL, session->target.pid, &session->process, &error), &error);
}

static void end(struct session *session)
{
	pm_process_close(session->process);
	target_stop(&session->target);
}

static struct pm_stop *stop(struct session *session)
{
	struct pm_error error;
	struct pm_stop *made;
	must(pm_stop_begin(session->process, NULL, &made, &error), &error);
	return made;
}

/**
 * Counts the threads with a State of one of these letters that are traced or not.
 * @param all  receives the number of all threads
 */
static size_t count_threads(pid_t pid, const char *states, bool traced, size_t *all)
{
	char path[300];
	size_t count = 0;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *directory = opendir(path);
	assert_non_null(directory);

	struct dirent *entry;
	*all = 0;
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;

		snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)pid, entry->d_name);
		FILE *file = fopen(path, "re");
		if (!file)
			continue;

		char line[256], state = 0;
		long traced_by = -1;
		while (fgets(line, sizeof line, file)) {
			if (strncmp(line, "State:", 6) == 0)
				state = line[7];
			if (strncmp(line, "TracerPid:", 10) == 0)
				traced_by = strtol(line + 10, NULL, 10);
		}

		fclose(file);
		/* A thread that exits during the read leaves an empty file. */
		if (!state)
			continue;

		++*all;
		count += strchr(states, state) && (traced_by != 0) == traced;
	}

	closedir(directory);
	return count;
}

static void expect_stopped(const struct session *session)
{
	size_t all, stopped = count_threads(session->target.pid, "t", true, &all);
	assert_int_equal(stopped, all);
}

static void expect_untraced(const struct session *session, const char *states)
{
	size_t all;
	size_t free = count_threads(session->target.pid, states, false, &all);
	assert_int_equal(free, all);
}

/** After a stop all threads run or sleep, and the target responds. */
static void expect_running(struct session *session)
{
	expect_untraced(session, "RSDZX");
	target_tell(&session->target, "ping");
}

static void thousands_of_threads_are_stopped(void **state)
{
	(void)state;
	struct session session;
	begin(&session, "2000");

	struct pm_stop *made = stop(&session);
	assert_int_equal(pm_stop_count(made), 2001);
	expect_stopped(&session);

	for (size_t i = 1; i < pm_stop_count(made); i++)
		assert_true(pm_stop_thread(made, i)->tid > pm_stop_thread(made, i - 1)->tid);

	pm_stop_end(made);
	expect_running(&session);
	made = stop(&session);
	print_message("2,001 threads: stopped for %.1f ms\n", (double)pm_stop_end(made) / 1e6);
	end(&session);
}

static uint64_t read_counter(const struct session *session, struct pm_reader *reader)
{
	uint64_t value, address = strtoull(target_fact(&session->target, "counter"), NULL, 16);
	struct pm_error error;
	must(pm_reader_read(reader, address, &value, sizeof value, NULL, &error), &error);
	return value;
}

/**
 * Threads and processes come and go: during each stop nothing runs, afterwards all threads
 * continue.
 */
static void churning_threads_are_all_stopped(void **state)
{
	(void)state;
	struct session session;
	struct pm_reader reader;
	struct pm_error error;

	begin(&session, "3");
	must(pm_target_reader_open(session.process, NULL, &reader, &error), &error);
	target_tell(&session.target, "churn");

	for (int i = 0; i < STOPS; i++) {
		struct pm_stop *made = stop(&session);
		size_t all, still = count_threads(session.target.pid, "tD", true, &all);
		assert_int_equal(still, all);
		uint64_t before = read_counter(&session, &reader);
		for (int j = 0; j < 100; j++) {
			sched_yield();
			assert_int_equal(read_counter(&session, &reader), before);
		}
		pm_stop_end(made);
		/* This waits forever, and so fails, if a thread was not resumed. */
		while (read_counter(&session, &reader) < before + 10)
			sched_yield();
	}

	pm_reader_close(&reader);
	end(&session);
}

struct sender {
	pid_t pid;
	atomic_bool enough;
	long sum, sent;
};

static void *send_signals(void *context)
{
	struct sender *sender = context;
	while (!atomic_load(&sender->enough)) {
		int value = (int)sender->sent % 1000 + 1;
		/* EAGAIN: the queue is full because the target is stopped. */
		if (sigqueue(sender->pid, SIGRTMIN, (union sigval){ .sival_int = value }) == 0) {
			sender->sum += value;
			sender->sent++;
		}
		sched_yield();
	}

	return NULL;
}

static void no_signal_is_lost(void **state)
{
	(void)state;
	struct session session;
	begin(&session, "3");
	struct sender sender = { .pid = session.target.pid };
	pthread_t thread;
	size_t seen = 0;
	assert_int_equal(pthread_create(&thread, NULL, send_signals, &sender), 0);
	for (int stops = 0; stops < STOPS; stops++) {
		struct pm_stop *made = stop(&session);
		for (size_t i = 0; i < pm_stop_count(made); i++) {
			siginfo_t info;
			if (pm_stop_thread(made, i)->signal != SIGRTMIN)
				continue;
			seen++;
			assert_int_equal(pm_stop_read_siginfo(made, i, &info, NULL), 0);
			assert_int_equal(info.si_signo, SIGRTMIN);
			assert_in_range(info.si_value.sival_int, 1, 1000);
		}
		pm_stop_end(made);
	}
	atomic_store(&sender.enough, true);
	pthread_join(thread, NULL);
	print_message("%d stops met %zu of %ld signals on their way\n", STOPS, seen, sender.sent);

	/* If a signal is lost, this waits until the test times out. */
	long sum = 0, received = 0;
	while (received < sender.sent) {
		fputs("sum\n", session.target.to);
		fflush(session.target.to);
		char *line = target_await(&session.target, "sum "), *rest;
		sum = strtol(line + 4, &rest, 10);
		received = strtol(rest, NULL, 10);
		free(line);
		free(target_await(&session.target, "done sum"));
	}
	assert_int_equal(received, sender.sent);
	assert_int_equal(sum, sender.sum);
	end(&session);
}

static void await_state(const struct session *session, const char *states)
{
	size_t all;
	while (count_threads(session->target.pid, states, false, &all) < all)
		sched_yield();
}

static void a_stopped_target_stays_stopped(void **state)
{
	(void)state;
	struct session session;
	begin(&session, "5");
	kill(session.target.pid, SIGSTOP);
	await_state(&session, "T");
	struct pm_stop *made = stop(&session);
	expect_stopped(&session);
	pm_stop_end(made);
	await_state(&session, "T");
	kill(session.target.pid, SIGCONT);
	expect_running(&session);

	/* Continued during the stop: it runs afterwards. */
	kill(session.target.pid, SIGSTOP);
	await_state(&session, "T");
	made = stop(&session);
	kill(session.target.pid, SIGCONT);
	pm_stop_end(made);
	expect_running(&session);

	/* Stopped by a signal during the stop: it is stopped afterwards. */
	made = stop(&session);
	kill(session.target.pid, SIGSTOP);
	pm_stop_end(made);
	await_state(&session, "T");
	end(&session);
}

static int stop_it(const struct session *session)
{
	struct pm_stop *made;
	return pm_stop_begin(session->process, NULL, &made, NULL);
}

static int trace_it(const struct session *session)
{
	return (int)ptrace(PTRACE_SEIZE, session->target.pid, 0, 0);
}

/** A child that does something to the target and then waits to be killed. */
static pid_t start_child(int (*act)(const struct session *session), const struct session *session)
{
	int ready[2];
	char byte;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid_t parent = getpid(), child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || act(session) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}

	assert_true(child > 0);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);

	return child;
}

static void targets_continue_when_procmem_is_killed(void **state)
{
	(void)state;
	struct session session;
	begin(&session, "200");

	pid_t child = start_child(stop_it, &session);
	size_t all;
	assert_int_equal(count_threads(session.target.pid, "t", true, &all), 201);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	expect_running(&session);
	end(&session);
}

/** The error names the tracer, which continues undisturbed. */
static void another_tracer_is_reported(void **state)
{
	(void)state;
	struct session session;
	begin(&session, "3");

	char name[32];
	pid_t child = start_child(trace_it, &session);
	struct pm_stop *made = NULL;
	struct pm_error error = { 0 };

	assert_int_equal(pm_stop_begin(session.process, NULL, &made, &error), -1);
	assert_null(made);
	assert_int_equal(error.kind, PM_ERROR_ACCESS);
	snprintf(name, sizeof name, "%d", (int)child);
	if (!strstr(error.text, name))
		fail_msg("'%s' does not name %s", error.text, name);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);

	expect_running(&session);
	end(&session);
}

static void unstoppable_process_is_reported(void **state)
{
	(void)state;
	struct session session;
	struct pm_stop *made;
	struct pm_error error;
	struct pm_process *self;
	must(pm_process_open(NULL, getpid(), &self, &error), &error);
	assert_int_equal(pm_stop_begin(self, NULL, &made, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_UNSUPPORTED);
	pm_process_close(self);

	begin(&session, "3");
	volatile sig_atomic_t cancel = 1;
	assert_int_equal(pm_stop_begin(session.process, &cancel, &made, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	expect_running(&session);
	fputs("quit\n", session.target.to);
	fflush(session.target.to);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)session.target.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(pm_stop_begin(session.process, NULL, &made, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	end(&session);
}

#ifdef __x86_64__
static void registers_are_those_of_the_thread(void **state)
{
	(void)state;
	struct session session;
	struct pm_error error;
	begin(&session, "2");

	struct pm_regions regions;
	pm_regions_init(&regions);
	must(pm_maps_read(session.process, PM_MAPS, &regions, &error), &error);

	struct pm_stop *made = stop(&session);
	uint64_t frame = strtoull(target_fact(&session.target, "main_stack"), NULL, 16);
	for (size_t i = 0; i < pm_stop_count(made); i++) {
		struct user_regs_struct registers;
		size_t size;
		must(pm_stop_read_registers(made, i, NT_PRSTATUS, &registers, sizeof registers,
		                            &size, &error),
		     &error);
		assert_int_equal(size, sizeof registers);

		const struct pm_region *code = pm_regions_find(&regions, registers.rip),
				       *stack = pm_regions_find(&regions, registers.rsp);
		assert_non_null(code);
		assert_true(code->perms & PM_PERM_EXEC);
		assert_non_null(stack);
		assert_true((pm_stop_thread(made, i)->tid == session.target.pid) ==
		            (stack == pm_regions_find(&regions, frame)));
	}

	char none[64];
	size_t size;
	assert_int_equal(pm_stop_read_registers(made, 0, 0x7777, none, sizeof none, &size, &error),
	                 -1);
	assert_int_equal(error.kind, PM_ERROR_UNSUPPORTED);
	pm_stop_end(made);
	pm_regions_deinit(&regions);
	end(&session);
}
#endif

/**
 * A thread that waits for its vfork child cannot be stopped; the stop must not wait for it, and
 * must not leave it traced.
 */
static void uninterruptible_threads_do_not_prevent_a_stop(void **state)
{
	(void)state;
	struct session session;
	begin(&session, "1");
	fputs("vfork\n", session.target.to);
	fflush(session.target.to);

	char *line = target_await(&session.target, "child ");
	pid_t child = (pid_t)strtol(line + 6, NULL, 10);
	free(line);
	free(target_await(&session.target, "done vfork"));

	struct pm_stop *made = stop(&session);
	size_t unreachable = 0;
	for (size_t i = 0; i < pm_stop_count(made); i++) {
		char bytes[512];
		size_t size;
		struct pm_error error;
		int result = pm_stop_read_registers(made, i, NT_PRSTATUS, bytes, sizeof bytes,
		                                    &size, &error);
		unreachable += !pm_stop_thread(made, i)->reachable;
		assert_int_equal(result, pm_stop_thread(made, i)->reachable ? 0 : -1);
	}

	assert_int_equal(unreachable, 1);
	pm_stop_end(made);
	assert_false(pm_stop_await_run(session.process, NULL));

	/* The kernel detaches the sleeper when the tracer thread has exited, which can take a
	 * moment. */
	await_state(&session, "RSD");
	kill(child, SIGKILL);
	expect_running(&session);
	end(&session);
}

/** After a stop, all threads run again. */
static void threads_run_after_a_stop(void **state)
{
	(void)state;
	struct session session;
	begin(&session, "20");

	for (int i = 0; i < STOPS; i++) {
		struct pm_stop *made = stop(&session);
		pm_stop_end(made);
		/* On a machine with much load, a thread may get no processor for 0.2 s. */
		while (!pm_stop_await_run(session.process, NULL))
			assert_int_equal(pm_process_check(session.process, NULL), 0);
	}

	const volatile sig_atomic_t cancel = 1;
	pm_stop_await_run(session.process, &cancel);
	end(&session);

	/* A process that is gone is not awaited. */
	begin(&session, "1");
	target_stop(&session.target);
	assert_true(pm_stop_await_run(session.process, NULL));
	pm_process_close(session.process);
}

static void programs_that_exec_are_not_affected(void **state)
{
	(void)state;
	struct session session;
	begin(&session, "20");

	size_t stopped = 0, gone = 0;
	fputs("exec\n", session.target.to);
	fflush(session.target.to);

	for (int i = 0; i < 200; i++) {
		struct pm_process *process;
		struct pm_stop *made;
		struct pm_error error;
		must(pm_process_open(NULL, session.target.pid, &process, &error), &error);
		if (pm_stop_begin(process, NULL, &made, &error) == 0) {
			stopped++;
			pm_stop_end(made);
		} else {
			assert_int_equal(error.kind, PM_ERROR_GONE);
			gone++;
		}
		pm_process_close(process);
	}

	print_message("%zu stops, %zu exec in the middle\n", stopped, gone);
	free(target_await(&session.target, "finished"));
	expect_running(&session);
	end(&session);
}

/**
 * A thread that calls execve(2) waits until the tracer has reaped the other threads that are
 * traced, and the tracer's PTRACE_SEIZE waits for the end of that execve.
 */
static void exec_during_a_stop_does_not_block(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		struct session session;
		begin(&session, "300");
		fputs("exec_when_traced\n", session.target.to);
		fflush(session.target.to);
		free(target_await(&session.target, "armed"));

		/* A stop can be over before the thread that waits for it runs. */
		struct pm_stop *made;
		struct pm_error error;
		while (pm_stop_begin(session.process, NULL, &made, &error) == 0) {
			pm_stop_end(made);
			sched_yield();
		}

		assert_int_equal(error.kind, PM_ERROR_GONE);
		free(target_await(&session.target, "finished"));
		expect_running(&session);
		end(&session);
	}
}

static void process_with_dead_leader_is_stopped(void **state)
{
	(void)state;
	struct session session = { 0 };
	struct pm_error error;
	target_start(&session.target, "markers", NULL);
	must(pm_process_open(NULL, session.target.pid, &session.process, &error), &error);
	target_tell(&session.target, "leave");

	size_t all;
	while (count_threads(session.target.pid, "Z", false, &all) < 1)
		sched_yield();

	struct pm_stop *made = stop(&session);
	assert_int_equal(pm_stop_count(made), 1);
	assert_int_not_equal(pm_stop_thread(made, 0)->tid, session.target.pid);
	pm_stop_end(made);
	expect_untraced(&session, "RSDZ");
	end(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thousands_of_threads_are_stopped),
		cmocka_unit_test(churning_threads_are_all_stopped),
		cmocka_unit_test(no_signal_is_lost),
		cmocka_unit_test(a_stopped_target_stays_stopped),
		cmocka_unit_test(targets_continue_when_procmem_is_killed),
		cmocka_unit_test(another_tracer_is_reported),
		cmocka_unit_test(unstoppable_process_is_reported),
#ifdef __x86_64__
		cmocka_unit_test(registers_are_those_of_the_thread),
#endif
		cmocka_unit_test(uninterruptible_threads_do_not_prevent_a_stop),
		cmocka_unit_test(threads_run_after_a_stop),
		cmocka_unit_test(programs_that_exec_are_not_affected),
		cmocka_unit_test(exec_during_a_stop_does_not_block),
		cmocka_unit_test(process_with_dead_leader_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
