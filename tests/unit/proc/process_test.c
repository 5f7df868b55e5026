/* SPDX-License-Identifier: MIT */
/* Is it still the same process, and what does /proc say of it? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <procmem/maps.h>
#include <procmem/process.h>
#include <procmem/stop.h>
#include <procmem/threads.h>

#include "proc/process.h"
#include "proc/process_handle.h"
#include "proc/process_stat.h"
#include "support/target.h"

static void stat_with_hostile_names(void **state)
{
	(void)state;
	static const char *const names[] = {
		"sleep", "ed) ge (x", ") R 1 1", "a\nb", "", "((", "))"
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char text[512];
		int length = snprintf(text, sizeof text,
		                      "77 (%s) S 1 2 3 0 -1 2097216 5 6 7 8 9 10 11 12 20 0 31 0 "
		                      "4455 100 200 300 400 500 6000 700 0 0 0 0 0 0 0 0 17 0 "
		                      "0 0 0 0 0 800 900 1000 0 0 0 0 0\n",
		                      names[i]);
		struct pm_process_stat stat;

		assert_true(pm_process_stat_parse(text, (size_t)length, &stat));
		assert_string_equal(stat.comm, names[i]);
		assert_int_equal(stat.state, 'S');
		assert_int_equal(stat.flags, 2097216);
		assert_int_equal(stat.threads, 31);
		assert_int_equal(stat.start_ticks, 4455);
		assert_int_equal(stat.start_stack, 6000);
		assert_int_equal(stat.start_brk, 1000);
	}

	struct pm_process_stat stat;
	assert_false(pm_process_stat_parse("", 0, &stat));
	assert_false(pm_process_stat_parse("77 (x) S 1 2", 12, &stat));
	assert_false(pm_process_stat_parse("77 (x", 5, &stat));
}

/**
 * A child that obeys letters on a pipe: `e` exec of cat, `x` exit; it answers with one byte when it
 * runs.
 */
struct child {
	pid_t pid;
	int commands;
	int answers;
};

static void child_run(int commands, int answers)
{
	char command;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "ed) ge (x");
	if (write(answers, "r", 1) != 1 || read(commands, &command, 1) != 1)
		_exit(1);

	if (command == 'e') {
		/* cat answers from its new memory: the contents of the pipe. */
		dup2(commands, 0);
		dup2(answers, 1);
		execlp("cat", "cat", (char *)NULL);
	}

	_exit(0);
}

static void child_start(struct child *child)
{
	int commands[2], answers[2];
	assert_int_equal(pipe2(commands, O_CLOEXEC), 0);
	assert_int_equal(pipe2(answers, O_CLOEXEC), 0);
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (child->pid == 0)
		child_run(commands[0], answers[1]);
	close(commands[0]);

	close(answers[1]);
	child->commands = commands[1];
	child->answers = answers[0];

	char byte;
	assert_int_equal(read(child->answers, &byte, 1), 1);
}

static void child_tell(const struct child *child, const char *bytes)
{
	assert_int_equal(write(child->commands, bytes, strlen(bytes)), strlen(bytes));
}

static void child_end(struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->commands);
	close(child->answers);
}

static void info_equals_proc(void **state)
{
	(void)state;
	struct child child;
	struct pm_process *process;
	struct pm_process_info info;
	struct pm_error error = { 0 };
	child_start(&child);
	assert_int_equal(pm_process_open(NULL, child.pid, &process, &error), 0);
	assert_int_equal(pm_process_check(process, &error), 0);
	assert_int_equal(pm_process_read_info(process, &info, &error), 0);
	assert_int_equal(info.pid, child.pid);
	assert_string_equal(info.comm, "ed) ge (x");
	assert_int_equal(info.uid, getuid());
	/* Sanitizers have threads of their own. The kernel counts them in the links of the folder,
	 * too. */
	char path[64];
	struct stat folder;
	snprintf(path, sizeof path, "/proc/%d/task", (int)child.pid);
	assert_int_equal(stat(path, &folder), 0);
	assert_int_equal(info.threads, folder.st_nlink - 2);
	assert_false(info.kernel_thread);
	assert_true(info.vm_rss > 0 && info.vm_rss <= info.vm_size && info.vm_hwm >= info.vm_rss);
	assert_int_equal(info.tracer, 0);

	struct pm_thread *threads;
	size_t count;
	assert_int_equal(pm_process_read_threads(process,
	                                         PM_THREAD_NAMES | PM_THREAD_STACK_POINTERS,
	                                         &threads, &count, &error),
	                 0);
	assert_int_equal(count, folder.st_nlink - 2);
	assert_int_equal(threads[0].tid, child.pid);
	assert_string_equal(threads[0].name, "ed) ge (x");
	free(threads);
	pm_process_close(process);
	child_end(&child);
}

static void exec_is_noticed(void **state)
{
	(void)state;
	struct child child;
	struct pm_process *process;
	struct pm_regions regions;
	struct pm_error error = { 0 };
	char byte;

	child_start(&child);
	assert_int_equal(pm_process_open(NULL, child.pid, &process, &error), 0);
	child_tell(&child, "ez");
	assert_int_equal(read(child.answers, &byte, 1), 1);
	assert_int_equal(byte, 'z');
	assert_int_equal(pm_process_check(process, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_non_null(strstr(error.text, "exec"));

	pm_regions_init(&regions);
	assert_int_equal(pm_maps_read(process, PM_MAPS, &regions, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	pm_regions_deinit(&regions);
	pm_process_close(process);
	child_end(&child);
}

static void exit_is_noticed(void **state)
{
	(void)state;
	struct child child;
	struct pm_process *process;
	struct pm_process_info info;
	struct pm_error error = { 0 };

	siginfo_t ended;
	child_start(&child);
	assert_int_equal(pm_process_open(NULL, child.pid, &process, &error), 0);
	child_tell(&child, "x");

	/* First as a zombie, then gone. */
	assert_int_equal(waitid(P_PID, (id_t)child.pid, &ended, WEXITED | WNOWAIT), 0);
	assert_int_equal(pm_process_check(process, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
	assert_int_equal(pm_process_check(process, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_int_equal(pm_process_read_info(process, &info, &error), -1);

	assert_int_equal(error.kind, PM_ERROR_GONE);
	pm_process_close(process);
	close(child.commands);
	close(child.answers);
	assert_int_equal(pm_process_open(NULL, child.pid, &process, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	assert_int_equal(error.pid, child.pid);
}

static void *outlive_leader(void *context)
{
	char byte;
	int *pipes = context;

	prctl(PR_SET_NAME, "survivor");
	/* Waits until the leader is dead: its state is the event. */
	char path[64], text[256] = "";
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());

	do {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t length = read(fd, text, sizeof text - 1);
		close(fd);
		text[length > 0 ? length : 0] = '\0';
	} while (!strstr(text, ") Z "));

	if (write(pipes[1], "r", 1) != 1 || read(pipes[0], &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

/**
 * Threads that are killed while they are traced stay zombies until the tracer waits for them. At no
 * time is that an exec.
 */
static void kill_while_stopped_is_not_an_exec(void **state)
{
	(void)state;
	struct target target;
	struct pm_process *process;
	struct pm_process_info info = { 0 };
	struct pm_stop *stop;
	struct pm_error error = { 0 };

	target_start(&target, "busy", "4", NULL);
	assert_int_equal(pm_process_open(NULL, target.pid, &process, &error), 0);
	assert_int_equal(pm_stop_begin(process, NULL, &stop, &error), 0);
	kill(target.pid, SIGKILL);

	while (info.state != 'Z') {
		if (pm_process_check(process, &error) < 0 && !strstr(error.text, "exited"))
			fail_msg("'%s' does not say that it exited", error.text);
		assert_int_equal(pm_process_read_info(process, &info, &error), 0);
	}

	assert_true(info.threads > 1);
	while (pm_process_check(process, &error) == 0)
		sched_yield();

	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_non_null(strstr(error.text, "exited"));
	pm_stop_end(stop);
	pm_process_close(process);
	target_stop(&target);
}

static void dead_leader_is_read_through_another_thread(void **state)
{
	(void)state;
	int commands[2], answers[2];
	assert_int_equal(pipe2(commands, O_CLOEXEC), 0);
	assert_int_equal(pipe2(answers, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		static int pipes[2];
		pthread_t thread;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(commands[1]);
		pipes[0] = commands[0];
		pipes[1] = answers[1];
		if (pthread_create(&thread, NULL, outlive_leader, pipes) != 0)
			_exit(1);
		pthread_exit(NULL);
	}
	close(answers[1]);
	char byte;
	assert_int_equal(read(answers[0], &byte, 1), 1);

	struct pm_process *process;
	struct pm_process_info info;
	struct pm_regions regions;
	struct pm_error error = { 0 };
	assert_int_equal(pm_process_open(NULL, pid, &process, &error), 0);
	assert_int_equal(pm_process_check(process, &error), 0);
	assert_int_equal(pm_process_read_info(process, &info, &error), 0);
	assert_true(info.leader_gone);
	assert_true(info.vm_rss > 0);
	assert_true(pm_process_memory_thread(process) != pid);
	pm_regions_init(&regions);
	assert_int_equal(pm_maps_read(process, PM_SMAPS, &regions, &error), 0);
	assert_true(regions.count > 10);
	pm_regions_deinit(&regions);
	pm_process_close(process);
	close(commands[1]);
	waitpid(pid, NULL, 0);
	close(commands[0]);
	close(answers[0]);
}

static void thread_id_opens_the_process(void **state)
{
	(void)state;
	/*
	 * Any thread but the leader would do; a process that has one is this test's own child from
	 * above, so the leader's number must be kept too.
	 */
	struct pm_process *process;
	struct pm_error error = { 0 };

	assert_int_equal(pm_process_open(NULL, getpid(), &process, &error), 0);
	assert_int_equal(pm_process_pid(process), getpid());

	char *command;
	assert_int_equal(pm_process_read_command(process, &command, &error), 0);
	assert_non_null(strstr(command, "process_test"));
	free(command);
	pm_process_close(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_with_hostile_names),
		cmocka_unit_test(info_equals_proc),
		cmocka_unit_test(exec_is_noticed),
		cmocka_unit_test(exit_is_noticed),
		cmocka_unit_test(kill_while_stopped_is_not_an_exec),
		cmocka_unit_test(dead_leader_is_read_through_another_thread),
		cmocka_unit_test(thread_id_opens_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
