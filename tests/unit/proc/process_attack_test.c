/* SPDX-License-Identifier: MIT */
/* Processes that change, end, or lie at the worst moment, and a shortage of our own: whatever is
 * said of them must be true. */
#include <procmem/process.h>

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <procmem/maps.h>
#include <procmem/process_list.h>
#include <procmem/threads.h>

#include "support/child.h"
#include "support/target.h"
#include "support/tree.h"

static void expect_gone(struct pm_process *process, const char *words)
{
	struct pm_error error = { 0 };
	assert_int_equal(pm_process_check(process, &error), -1);
	if (error.kind != PM_ERROR_GONE || !strstr(error.text, words))
		fail_msg("kind %d: %s", (int)error.kind, error.text);
}

/**
 * A child that shares its parent's memory until it calls exec, as vfork(2) and posix_spawn(3) make
 * them.
 */
struct borrower {
	pid_t parent; /* waits for the exec */
	pid_t pid;
	int go; /* write a byte to let it call exec */
};

/** Lives in the memory of its parent until it has read a byte. */
static void __attribute__((noreturn)) borrow(int report, int go)
{
	pid_t own = getpid();
	char byte;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(report, &own, sizeof own) == sizeof own && read(go, &byte, 1) == 1)
		execl("/bin/sleep", "sleep", "1000", (char *)NULL);
	_exit(1);
}

static void borrower_start(struct borrower *borrower)
{
	int report[2], go[2];
	assert_int_equal(pipe2(report, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);

	pid_t test = getpid();
	borrower->parent = fork();
	assert_true(borrower->parent >= 0);

	if (borrower->parent == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != test)
			_exit(1);
		pid_t child = vfork();
		if (child == 0)
			borrow(report[1], go[0]);
		for (;;)
			pause();
	}

	close(report[1]);
	close(go[0]);
	assert_int_equal(read(report[0], &borrower->pid, sizeof borrower->pid),
	                 sizeof borrower->pid);
	close(report[0]);
	borrower->go = go[1];
}

/** Lets it call exec, and waits until it has. */
static void borrower_exec(const struct borrower *borrower)
{
	char path[64], comm[16] = "";
	assert_int_equal(write(borrower->go, "x", 1), 1);
	snprintf(path, sizeof path, "/proc/%d/comm", (int)borrower->pid);

	while (strcmp(comm, "sleep\n") != 0) {
		FILE *file = fopen(path, "re");
		assert_non_null(file);
		assert_non_null(fgets(comm, sizeof comm, file));
		fclose(file);
	}
}

static void exec_of_a_process_with_borrowed_memory(void **state)
{
	(void)state;
	struct borrower borrower;
	borrower_start(&borrower);

	struct pm_process *process = open_process(borrower.pid);
	assert_int_equal(pm_process_check(process, NULL), 0);
	borrower_exec(&borrower);
	expect_gone(process, "called exec");
	pm_process_close(process);
	close(borrower.go);
	child_stop(borrower.parent);
}

/** Writes the stat of a process in a saved tree. */
static void write_stat(const char *root, unsigned flags, unsigned start_code, unsigned start_stack)
{
	tree_write(root, "77/stat",
	           "77 (x) R 1 2 3 0 -1 %u 5 6 7 8 9 10 11 12 20 0 1 0 4455 100 200 300 %u 500 %u "
	           "700 0 0 0 0 0 0 0 0 17 0\n",
	           flags, start_code, start_stack);
}

/* The kernel exchanges the memory first, and tells where the stack begins when the program is
 * loaded: too short a time to be met here. */
static void exec_in_the_middle(void **state)
{
	(void)state;
	enum { EXITING = 4 };

	char *root = tree_create();
	struct pm_process *process;
	write_stat(root, 0, 400, 6000);
	assert_int_equal(pm_process_open(root, 77, &process, NULL), 0);
	assert_int_equal(pm_process_check(process, NULL), 0);
	write_stat(root, 0, 0, 0);
	expect_gone(process, "called exec");
	write_stat(root, 0, 400, 0);

	expect_gone(process, "called exec");
	write_stat(root, 0, 400, 6016);
	expect_gone(process, "called exec");

	/* To those who may not look into it the kernel says 1. */
	write_stat(root, 0, 1, 0);
	assert_int_equal(pm_process_check(process, NULL), 0);
	write_stat(root, EXITING, 0, 0);
	expect_gone(process, "exited");
	pm_process_close(process);

	/* A process that was opened in the middle of an exec has the memory of the new program. */
	write_stat(root, 0, 0, 6000);
	assert_int_equal(pm_process_open(root, 77, &process, NULL), 0);
	write_stat(root, 0, 400, 5900);
	assert_int_equal(pm_process_check(process, NULL), 0);
	pm_process_close(process);
	tree_remove(root);
}

static bool is_killed(struct pm_process *process, const char *root, const char *thread,
                      const char *shared)
{
	struct pm_process_info info;
	tree_write(
		root, "77/status",
		"Name:\tx\nSigQ:\t0/96241\nSigPnd:\t%s\nShdPnd:\t%s\nSigBlk:\t0000000000000100\n",
		thread, shared);
	assert_int_equal(pm_process_read_info(process, &info, NULL), 0);
	return info.killed;
}

/* SIGKILL is bit 8. How long it stays pending is the kernel's affair. */
static void kill_is_reported(void **state)
{
	(void)state;
	char *root = tree_create();
	struct pm_process *process;
	write_stat(root, 0, 400, 6000);
	tree_write(root, "uptime", "100.00 100.00\n");
	assert_int_equal(pm_process_open(root, 77, &process, NULL), 0);
	assert_false(is_killed(process, root, "0000000000000000", "0000000000000000"));
	assert_true(is_killed(process, root, "0000000000000100", "0000000000000000"));

	assert_true(is_killed(process, root, "0000000000000000", "0000000000004100"));
	assert_false(is_killed(process, root, "0000000000004000", "fffffffffffffeff"));
	pm_process_close(process);
	tree_remove(root);
}

static void exec_of_a_thread(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "exiter", NULL);

	struct pm_process *process = open_process(target.pid);
	fprintf(target.to, "thread-exec\n");
	assert_int_equal(fflush(target.to), 0);
	free(target_await(&target, "ready"));
	expect_gone(process, "called exec");
	pm_process_close(process);
	process = open_process(target.pid);
	assert_int_equal(pm_process_check(process, NULL), 0);

	pm_process_close(process);
	target_stop(&target);
}

/**
 * Starts a child with a PID of our choice, if the kernel lets us.
 * @return its PID, maybe another
 */
static pid_t start_with_pid(pid_t pid)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "we");
	if (file) {
		fprintf(file, "%d", (int)pid - 1);
		if (fclose(file) < 0)
			return 0;
	}
	return file ? child_start("successor", NULL) : 0;
}

static void reused_pid(void **state)
{
	(void)state;
	pid_t first = child_start("first", NULL), second = 0;
	struct pm_process *process = open_process(first);
	child_stop(first);

	/* Others start processes too, and may get the number first. */
	for (int tries = 0; tries < 50 && second != first; tries++) {
		if (second > 0)
			child_stop(second);
		second = start_with_pid(first);
	}

	struct pm_process_info info;
	struct pm_regions regions;
	struct pm_thread *threads;
	size_t count;
	uint64_t pss;
	char *command;
	int fd;
	struct pm_error errors[6] = { { 0 } };

	pm_regions_init(&regions);
	int results = pm_process_read_info(process, &info, &errors[0]) +
	              pm_maps_read(process, PM_MAPS, &regions, &errors[1]) +
	              pm_process_read_threads(process, PM_THREAD_NAMES, &threads, &count,
	                                      &errors[2]) +
	              pm_process_read_pss(process, &pss, &errors[3]) +
	              pm_process_read_command(process, &command, &errors[4]) +
	              pm_process_open_file(process, "status", O_RDONLY, &fd, &errors[5]);

	if (second == first)
		expect_gone(process, "exited");
	pm_process_close(process);
	if (second > 0)
		child_stop(second);
	if (second != first)
		skip_because("PIDs cannot be chosen here");
	assert_int_equal(results, -6);

	for (size_t i = 0; i < 6; i++)
		assert_int_equal(errors[i].kind, PM_ERROR_GONE);

	assert_int_equal(regions.count, 0);
}

/**
 * Runs in a child that may open no more files.
 * @return 0 where each failure is called what it is
 */
static int look_without_descriptors(struct pm_process *process)
{
	struct pm_error error = { 0 };
	struct pm_process_info info;
	struct pm_thread *threads;
	struct pm_process *other;
	size_t count;
	char *command;
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_NOFILE, &none);
	if (pm_process_check(process, &error) != -1 || error.kind != PM_ERROR_RESOURCES)
		return 2;
	if (pm_process_read_info(process, &info, &error) != -1 || error.kind != PM_ERROR_RESOURCES)
		return 3;
	if (pm_process_read_threads(process, PM_THREAD_NAMES, &threads, &count, &error) != -1 ||
	    error.kind != PM_ERROR_RESOURCES)
		return 4;
	if (pm_process_read_command(process, &command, &error) != -1 ||
	    error.kind != PM_ERROR_RESOURCES)
		return 5;
	if (pm_process_open(NULL, getppid(), &other, &error) != -1 ||
	    error.kind != PM_ERROR_RESOURCES)
		return 6;

	return 0;
}

static void lack_of_descriptors_is_not_the_end_of_the_target(void **state)
{
	(void)state;
	struct pm_process *process = open_process(getpid());
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(look_without_descriptors(process));

	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	pm_process_close(process);
	assert_int_equal(status, 0);
}

static void thread_of_a_dead_leader_opens_the_process(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "dead_leader", NULL);

	struct pm_process *process = open_process((pid_t)target_fact_number(&target, "thread"));
	assert_int_equal(pm_process_pid(process), target.pid);

	struct pm_process_info info;
	assert_int_equal(pm_process_read_info(process, &info, NULL), 0);
	assert_true(info.leader_gone);
	assert_string_equal(info.comm, "dead_leader");
	assert_true(info.vm_rss >= 1024 * 1024);

	/* These tell where heap and stack are; the dead thread does not know them any more. */
	assert_true(info.start_brk != 0);
	assert_true(info.start_stack != 0);
	pm_process_close(process);
	target_stop(&target);
}

static void *come_and_go(void *unused)
{
	return unused;
}

static void __attribute__((noreturn)) churn_threads(int report)
{
	if (write(report, "r", 1) != 1)
		_exit(1);
	for (;;) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, come_and_go, NULL) == 0)
			pthread_join(thread, NULL);
	}
}

static void *churn(void *context)
{
	churn_threads(*(int *)context);
}

static void dead_leader_whose_threads_come_and_go(void **state)
{
	(void)state;
	/* Not on the stack, which is that of the thread that ends first. */
	static int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);

	pid_t test = getpid(), child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		static pthread_t threads[3];
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != test)
			_exit(1);
		for (size_t i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, churn, &ends[1]);
		pthread_exit(NULL);
	}

	char ready[3];
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(read(ends[0], &ready[i], 1), 1);

	struct pm_process *process = open_process(child);
	for (int i = 0; i < 300; i++) {
		struct pm_regions regions;
		struct pm_process_info info;
		struct pm_error error = { 0 };
		pm_regions_init(&regions);
		if (pm_maps_read(process, i % 2 ? PM_MAPS : PM_SMAPS, &regions, &error) < 0)
			fail_msg("round %d: %s", i, error.text);
		if (pm_process_read_info(process, &info, &error) < 0)
			fail_msg("round %d: %s", i, error.text);
		assert_true(regions.count > 10);
		pm_regions_deinit(&regions);
	}

	pm_process_close(process);
	child_stop(child);
	close(ends[0]);
	close(ends[1]);
}

/**
 * Calls all functions for a process that is about to end.
 * @return the number of calls that succeeded
 */
static int look_at(pid_t pid)
{
	struct pm_process *process;
	struct pm_error error = { 0 };
	int worked = 0;

	if (pm_process_open(NULL, pid, &process, &error) < 0) {
		assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
		return 0;
	}

	struct pm_process_info info;
	struct pm_regions regions;
	struct pm_thread *threads;
	size_t count;
	uint64_t pss;

	pm_regions_init(&regions);
	error = (struct pm_error){ .kind = PM_ERROR_GONE };
	worked += pm_process_read_info(process, &info, &error) == 0;
	assert_int_equal(error.kind, PM_ERROR_GONE);

	if (pm_process_read_threads(process, PM_THREAD_NAMES, &threads, &count, &error) == 0) {
		free(threads);
		worked++;
	}

	assert_int_equal(error.kind, PM_ERROR_GONE);
	/* As long as it is not reaped it is a zombie, and then has no memory. */
	if (pm_maps_read(process, PM_SMAPS, &regions, &error) == 0)
		worked += regions.count > 10;
	else
		assert_int_equal(regions.count, 0);

	assert_true(error.kind == PM_ERROR_GONE || error.kind == PM_ERROR_NO_MEMORY);
	worked += pm_process_read_pss(process, &pss, &error) == 0;
	assert_true(error.kind == PM_ERROR_GONE || error.kind == PM_ERROR_NO_MEMORY);
	pm_regions_deinit(&regions);
	pm_process_close(process);

	return worked;
}

static void processes_that_end_during_the_listing(void **state)
{
	(void)state;
	int worked = 0;
	for (int i = 0; i < 150; i++) {
		pid_t child = child_start("short", NULL);
		/* How far we get is random: that is the point. */
		pid_t killer = fork();
		assert_true(killer >= 0);

		if (killer == 0) {
			for (volatile int wait = 0; wait < i * 250; wait++) {
			}
			kill(child, SIGKILL);
			_exit(0);
		}

		worked += look_at(child);
		waitpid(child, NULL, 0);
		waitpid(killer, NULL, 0);
	}

	assert_true(worked > 0);
}

/** Bytes of a text in hexadecimal. */
static void from_hex(const char *hex, char *text, size_t size)
{
	size_t length = 0;
	unsigned byte;
	for (; sscanf(hex, "%2x", &byte) == 1 && length + 1 < size; hex += 2)
		text[length++] = (char)byte;
	text[length] = '\0';
}

static void hostile_names(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "hostile_names", NULL);

	struct pm_process *process = open_process(target.pid);
	struct pm_process_info info;
	struct pm_thread *threads;
	size_t count, compared = 0;
	char expected[PM_COMM_SIZE];

	assert_int_equal(pm_process_read_info(process, &info, NULL), 0);
	from_hex(target_fact(&target, "comm"), expected, sizeof expected);
	assert_string_equal(info.comm, expected);
	assert_true(info.vm_rss > 0);
	assert_int_equal(info.uid, getuid());
	assert_int_equal(pm_process_read_threads(process, PM_THREAD_NAMES, &threads, &count, NULL),
	                 0);

	for (size_t i = 0; i < count; i++) {
		char words[32];
		snprintf(words, sizeof words, "thread %d", (int)threads[i].tid);
		const char *hex = target_fact(&target, words);
		if (!hex)
			continue;
		from_hex(hex, expected, sizeof expected);
		assert_string_equal(threads[i].name, expected);
		compared++;
	}

	assert_int_equal(compared, count - 1);
	assert_true(compared >= 8);
	free(threads);
	pm_process_close(process);
	target_stop(&target);
}

static void names_that_look_like_other_states(void **state)
{
	(void)state;
	static const char *const names[] = { "x) Z 1 1 1 0", ") X", "a\nUid:\t0\t0", "((((",
		                             "))))" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		pid_t child = child_start(names[i], NULL);
		struct pm_process *process = open_process(child);
		struct pm_process_info info;
		assert_int_equal(pm_process_read_info(process, &info, NULL), 0);
		pm_process_close(process);
		child_stop(child);
		assert_string_equal(info.comm, names[i]);
		assert_true(info.state == 'S' || info.state == 'R');
		assert_int_equal(info.threads, 1);
		assert_int_equal(info.uid, getuid());
		assert_false(info.kernel_thread || info.leader_gone);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exec_of_a_process_with_borrowed_memory),
		cmocka_unit_test(exec_in_the_middle),
		cmocka_unit_test(kill_is_reported),
		cmocka_unit_test(exec_of_a_thread),
		cmocka_unit_test(reused_pid),
		cmocka_unit_test(lack_of_descriptors_is_not_the_end_of_the_target),
		cmocka_unit_test(thread_of_a_dead_leader_opens_the_process),
		cmocka_unit_test(dead_leader_whose_threads_come_and_go),
		cmocka_unit_test(processes_that_end_during_the_listing),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(names_that_look_like_other_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
