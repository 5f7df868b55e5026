/* SPDX-License-Identifier: MIT */
/*
 * What the running kernel refuses to a user without rights, and whether the message about it is
 * true. Run as root, a child becomes such a user; run as a plain user, it stays that user.
 */
#include "proc/access.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <procmem/maps.h>
#include <procmem/process.h>

#include "support/target.h"

enum { NOBODY = 65534 };

/** What a child found out about the target: sent through a pipe. */
struct finding {
	int cause;             /**< errno of opening its file, 0 where that worked */
	struct pm_error error; /**< what pm_access_explain() says of it */
};

static void become_nobody(void)
{
	if (getuid() == 0 && (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
	                      setresuid(NOBODY, NOBODY, NOBODY) < 0))
		_exit(1);
}

static void open_and_explain(pid_t pid, const char *name, struct finding *finding)
{
	char path[64], doing[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	snprintf(doing, sizeof doing, "read the %s of", name);

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	finding->cause = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	pm_access_explain("/proc", pid, doing, finding->cause, &finding->error);
}

/** Runs a function in a child and takes over what it finds. */
static void in_child(void (*work)(pid_t pid, struct finding *finding), pid_t pid,
                     struct finding *finding)
{
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);

	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct finding found = { 0 };
		work(pid, &found);
		_exit(write(ends[1], &found, sizeof found) != sizeof found);
	}

	close(ends[1]);
	ssize_t got = read(ends[0], finding, sizeof *finding);
	close(ends[0]);

	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	if (got != sizeof *finding)
		fail_msg("the child ended with status %#x", (unsigned)status);
}

/** Starts a child that becomes a user without rights, takes one more step, and waits for its end.
 */
static pid_t start_as_nobody(int dumpable)
{
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);

	pid_t parent = getpid(), child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		become_nobody();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || prctl(PR_SET_DUMPABLE, dumpable) < 0 ||
		    write(ends[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}

	char ready;
	close(ends[1]);
	assert_int_equal(read(ends[0], &ready, 1), 1);
	close(ends[0]);

	return child;
}

static void stop(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void expect(const struct finding *finding, enum pm_error_kind kind, const char *words)
{
	if (finding->error.kind != kind || !strstr(finding->error.text, words))
		fail_msg("errno %d, kind %d: %s", finding->cause, (int)finding->error.kind,
		         finding->error.text);
}

static void read_maps_as_nobody(pid_t pid, struct finding *finding)
{
	become_nobody();
	open_and_explain(pid, "maps", finding);
}

static void process_of_another_user(void **state)
{
	(void)state;
	pid_t other = getuid() == 0 ? getpid() : 1;
	struct finding finding;
	in_child(read_maps_as_nobody, other, &finding);
	if (finding.cause == 0)
		skip_because("process %d belongs to us", (int)other);
	assert_int_equal(finding.cause, EACCES);

	char words[64];
	snprintf(words, sizeof words, "runs as root, but you are uid %u; ",
	         getuid() == 0 ? NOBODY : getuid());
	expect(&finding, PM_ERROR_ACCESS, words);
}

static void own_process_that_is_not_dumpable(void **state)
{
	(void)state;
	pid_t hidden = start_as_nobody(0), open = start_as_nobody(1);
	struct finding finding, control;
	in_child(read_maps_as_nobody, hidden, &finding);
	in_child(read_maps_as_nobody, open, &control);
	stop(hidden);
	stop(open);
	assert_int_equal(finding.cause, EACCES);

	expect(&finding, PM_ERROR_ACCESS, "not dumpable");
	assert_int_equal(control.cause, 0);
}

static void read_memory_as_nobody(pid_t pid, struct finding *finding)
{
	become_nobody();
	open_and_explain(pid, "mem", finding);
}

static void zombie(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "zombie_parent", NULL);
	pid_t pid = (pid_t)target_fact_number(&target, "zombie");
	struct finding maps, memory;
	in_child(read_maps_as_nobody, pid, &maps);
	in_child(read_memory_as_nobody, pid, &memory);
	char words[128];
	snprintf(words, sizeof words,
	         "is a zombie and has no memory; its parent %d "
	         "(zombie_parent)",
	         (int)target.pid);
	expect(&maps, PM_ERROR_NO_MEMORY, words);
	expect(&memory, PM_ERROR_NO_MEMORY, words);

	struct pm_process *process;
	struct pm_regions regions;
	struct pm_error error = { 0 };
	pm_regions_init(&regions);
	assert_int_equal(pm_process_open(NULL, pid, &process, &error), 0);
	assert_int_equal(pm_maps_read(process, PM_MAPS, &regions, &error), -1);
	if (error.kind != PM_ERROR_NO_MEMORY || !strstr(error.text, words))
		fail_msg("kind %d: %s", (int)error.kind, error.text);
	pm_process_close(process);
	pm_regions_deinit(&regions);
	target_stop(&target);
}

static void kernel_thread(void **state)
{
	(void)state;
	char name[16] = "";
	FILE *file = fopen("/proc/2/comm", "re");
	if (!file || !fgets(name, sizeof name, file) || strcmp(name, "kthreadd\n") != 0)
		skip_because("process 2 is not a kernel thread here, as in a container");
	fclose(file);
	struct finding finding;
	in_child(read_maps_as_nobody, 2, &finding);
	expect(&finding, PM_ERROR_NO_MEMORY, "process 2 (kthreadd): it is a kernel thread");

	struct pm_process *process;
	struct pm_regions regions;
	struct pm_error error = { 0 };
	pm_regions_init(&regions);
	assert_int_equal(pm_process_open(NULL, 2, &process, &error), 0);
	assert_int_equal(pm_maps_read(process, PM_SMAPS, &regions, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_NO_MEMORY);
	assert_non_null(strstr(error.text, "is a kernel thread"));
	pm_process_close(process);
	pm_regions_deinit(&regions);
}

static void ended(void **state)
{
	(void)state;
	pid_t pid = start_as_nobody(1);
	stop(pid);

	struct finding finding;
	in_child(read_maps_as_nobody, pid, &finding);
	assert_int_equal(finding.cause, ENOENT);
	expect(&finding, PM_ERROR_NOT_FOUND, "no process has PID");
}

static void seize(pid_t pid, struct finding *finding)
{
	finding->cause = ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0 ? errno : 0;
	pm_access_explain("/proc", pid, "attach to it", finding->cause, &finding->error);
}

static void traced_by_another(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);

	pid_t target = start_as_nobody(1), parent = getpid(), tracer = fork();
	assert_true(tracer >= 0);
	if (tracer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "first tracer");
		char answer = getppid() == parent && ptrace(PTRACE_SEIZE, target, NULL, NULL) == 0
		                      ? 'y'
		                      : 'n';
		if (write(ends[1], &answer, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}

	char answer = 'n';
	close(ends[1]);

	ssize_t got = read(ends[0], &answer, 1);
	close(ends[0]);

	struct finding finding = { 0 };
	if (got == 1 && answer == 'y')
		in_child(seize, target, &finding);
	stop(tracer);
	stop(target);
	if (answer != 'y')
		skip_because("this user may not trace at all (Yama)");
	assert_int_equal(finding.cause, EPERM);

	char words[96];
	snprintf(words, sizeof words, "already traced by process %d (first tracer)", (int)tracer);
	expect(&finding, PM_ERROR_ACCESS, words);
}

enum { NO_NAMESPACE = -1 };

static void read_maps_from_a_user_namespace(pid_t pid, struct finding *finding)
{
	if (unshare(CLONE_NEWUSER) < 0) {
		finding->cause = NO_NAMESPACE;
		return;
	}
	open_and_explain(pid, "maps", finding);
}

static void from_inside_of_a_user_namespace(void **state)
{
	(void)state;
	struct finding finding;
	in_child(read_maps_from_a_user_namespace, getpid(), &finding);
	if (finding.cause == NO_NAMESPACE)
		skip_because("user namespaces are not to be had here");
	assert_int_equal(finding.cause, EACCES);
	expect(&finding, PM_ERROR_ACCESS,
	       "another user namespace, in which you lack CAP_SYS_PTRACE");
}

static void read_maps_where_proc_hides(pid_t pid, struct finding *finding)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("proc", "/proc", "proc", 0, "hidepid=2") < 0) {
		finding->cause = NO_NAMESPACE;
		return;
	}

	become_nobody();
	open_and_explain(pid, "maps", finding);
}

static void hidden_by_a_mount_option(void **state)
{
	(void)state;
	struct finding finding, gone;
	in_child(read_maps_where_proc_hides, getpid(), &finding);
	if (finding.cause == NO_NAMESPACE)
		skip_because("needs the right to mount proc");
	assert_int_equal(finding.cause, ENOENT);
	expect(&finding, PM_ERROR_ACCESS, "hidepid=");

	pid_t pid = start_as_nobody(1);
	stop(pid);
	in_child(read_maps_where_proc_hides, pid, &gone);
	expect(&gone, PM_ERROR_NOT_FOUND, "no process has PID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_of_another_user),
		cmocka_unit_test(own_process_that_is_not_dumpable),
		cmocka_unit_test(zombie),
		cmocka_unit_test(kernel_thread),
		cmocka_unit_test(ended),
		cmocka_unit_test(traced_by_another),
		cmocka_unit_test(from_inside_of_a_user_namespace),
		cmocka_unit_test(hidden_by_a_mount_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
