/* SPDX-License-Identifier: MIT */
/* Each rule on a saved tree that breaks exactly this one. What the running kernel refuses is in
 * access_live_test.c. */
#include "proc/access.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/credentials.h"
#include "support/tree.h"

enum { TARGET = 12 };

#define CAP(name) (UINT64_C(1) << PM_CAP_##name)

/** One process of a saved tree. */
struct process {
	const char *directory;
	pid_t pid, parent, tracer;
	const char *name;
	char state;
	unsigned threads, flags;
	uint32_t users[3], groups[3];
	uint64_t capabilities;
	int seccomp;
};

/**
 * A process that nothing speaks against: of the user who runs the test, as its files belong to that
 * one.
 */
static struct process usual(const char *directory, pid_t pid)
{
	uint32_t user = getuid(), group = getgid();
	return (struct process){
		.directory = directory,
		.pid = pid,
		.parent = 1,
		.name = "shop",
		.state = 'S',
		.threads = 1,
		.users = { user, user, user },
		.groups = { group, group, group },
	};
}

static void be(struct process *process, uint32_t real, uint32_t effective, uint32_t saved)
{
	process->users[0] = real;
	process->users[1] = effective;
	process->users[2] = saved;
}

static void save(const char *root, const struct process *process)
{
	char path[64];
	snprintf(path, sizeof path, "%s/status", process->directory);
	tree_write(root, path,
	           "Name:\t%s\nState:\t%c "
	           "(what)\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nTracerPid:\t%d\nUid:\t%u\t%u\t%u\t%"
	           "u\nGid:\t%u\t%u\t%u\t%u\n"
	           "CapInh:\t0000000000000000\nCapPrm:\t%016llx\nCapEff:\t%016llx\nSeccomp:\t%d\n",
	           process->name, process->state, (int)process->pid, (int)process->pid,
	           (int)process->parent, (int)process->tracer, process->users[0], process->users[1],
	           process->users[2], process->users[1], process->groups[0], process->groups[1],
	           process->groups[2], process->groups[1],
	           (unsigned long long)process->capabilities,
	           (unsigned long long)process->capabilities, process->seccomp);

	snprintf(path, sizeof path, "%s/stat", process->directory);
	tree_write(root, path, "%d (%s) %c %d 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 %u 0 100 0 0\n",
	           (int)process->pid, process->name, process->state, (int)process->parent,
	           process->flags, process->threads);
}

/** Two processes, ours and the target, as one test wants them. */
struct fixture {
	char *root;
	struct process own, target;
	struct pm_error error;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	if (!fixture)
		return -1;

	fixture->root = tree_create();
	fixture->own = usual("self", 11);
	fixture->target = usual("12", TARGET);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	tree_remove(fixture->root);
	free(fixture);
	return 0;
}

static void explain(struct fixture *fixture, int cause)
{
	assert_int_equal(pm_access_explain(fixture->root, TARGET, "read the maps of", cause,
	                                   &fixture->error),
	                 -1);
	assert_int_equal(fixture->error.pid, TARGET);
	assert_int_equal(fixture->error.os_errno, cause);
	assert_null(strchr(fixture->error.text, '\n'));
	assert_int_equal(strncmp(fixture->error.text, "cannot read the maps of process 12", 34), 0);
	assert_true(strlen(fixture->error.text) < PM_ERROR_TEXT_SIZE - 1);

	/* The error may be NULL. */
	assert_int_equal(pm_access_explain(fixture->root, TARGET, "read the maps of", cause, NULL),
	                 -1);
}

static void expect(struct fixture *fixture, int cause, enum pm_error_kind kind, const char *words)
{
	save(fixture->root, &fixture->own);
	save(fixture->root, &fixture->target);
	explain(fixture, cause);
	if (fixture->error.kind != kind || !strstr(fixture->error.text, words))
		fail_msg("kind %d: %s", (int)fixture->error.kind, fixture->error.text);
}

static void expect_also(const struct fixture *fixture, const char *words)
{
	if (!strstr(fixture->error.text, words))
		fail_msg("no '%s' in: %s", words, fixture->error.text);
}

static void other_user(void **state)
{
	struct fixture *fixture = *state;
	be(&fixture->own, 54321, 54321, 54321);
	be(&fixture->target, 0, 0, 0);
	expect(fixture, EACCES, PM_ERROR_ACCESS,
	       "process 12 (shop): it runs as root, but you are uid 54321; run procmem as root "
	       "(sudo)");

	/* Rights of the file would be everybody's: no one-line advice. */
	assert_null(strstr(fixture->error.text, "setcap"));
	be(&fixture->target, 54322, 54322, 54322);
	expect(fixture, EPERM, PM_ERROR_ACCESS, "runs as uid 54322, but you are uid 54321");
}

static void root_of_a_container(void **state)
{
	struct fixture *fixture = *state;
	be(&fixture->own, 0, 0, 0);
	fixture->own.capabilities = 0xa80425fb; /* what Docker gives: no CAP_SYS_PTRACE */
	be(&fixture->target, 54321, 54321, 54321);
	expect(fixture, EACCES, PM_ERROR_ACCESS, "runs as uid 54321; root lacks CAP_SYS_PTRACE");
	expect_also(fixture, "--cap-add SYS_PTRACE");
	expect_also(fixture, "kubectl debug --profile=sysadmin");
}

static void set_user_id_program(void **state)
{
	struct fixture *fixture = *state;
	be(&fixture->own, 54321, 54321, 54321);
	be(&fixture->target, 54321, 0, 0);
	expect(fixture, EACCES, PM_ERROR_ACCESS, "set-user-ID program and can switch to root");
	be(&fixture->target, 54321, 54321, 0);
	expect(fixture, EACCES, PM_ERROR_ACCESS, "set-user-ID program and can switch to root");
}

static void other_group(void **state)
{
	struct fixture *fixture = *state;
	fixture->own.groups[1] = 100;
	fixture->target.groups[2] = 54;
	fixture->target.groups[1] = fixture->target.groups[0] = 100;
	expect(fixture, EACCES, PM_ERROR_ACCESS,
	       "runs with group ID 54, but procmem with group ID 100");
}

static void not_dumpable(void **state)
{
	struct fixture *fixture = *state;
	/* The files belong to another than the process runs as. */
	uint32_t user = getuid() + 1;
	be(&fixture->own, user, user, user);
	be(&fixture->target, user, user, user);
	expect(fixture, EACCES, PM_ERROR_ACCESS, "not dumpable");

	/* Those of a dead first thread are root's anyway. */
	fixture->target.state = 'Z';
	fixture->target.threads = 2;
	expect(fixture, EACCES, PM_ERROR_ACCESS, "is protected");
}

static void inside_of_a_user_namespace(void **state)
{
	struct fixture *fixture = *state;
	fixture->own.capabilities = UINT64_MAX;
	tree_write(fixture->root, "self/uid_map", "         0       1000          1\n");
	tree_link(fixture->root, "self/ns/user", "user:[4026532000]");
	expect(fixture, EACCES, PM_ERROR_ACCESS,
	       "another user namespace, in which you lack CAP_SYS_PTRACE");
	expect_also(fixture, "nsenter -t 12 -U");
}

static void outside_of_its_user_namespace(void **state)
{
	struct fixture *fixture = *state;
	tree_write(fixture->root, "self/uid_map", "         0          0 4294967295\n");
	tree_link(fixture->root, "self/ns/user", "user:[4026531837]");
	tree_link(fixture->root, "12/ns/user", "user:[4026532000]");
	expect(fixture, EPERM, PM_ERROR_ACCESS, "another user namespace");
}

static void same_user_namespace(void **state)
{
	struct fixture *fixture = *state;
	fixture->own.capabilities = UINT64_MAX;
	tree_write(fixture->root, "self/uid_map", "         0       1000          1\n");
	tree_link(fixture->root, "self/ns/user", "user:[4026532000]");
	tree_link(fixture->root, "12/ns/user", "user:[4026532000]");
	expect(fixture, EPERM, PM_ERROR_ACCESS, "is protected (Operation not permitted)");
}

static void more_capabilities(void **state)
{
	struct fixture *fixture = *state;
	fixture->own.capabilities = CAP(DAC_OVERRIDE);
	fixture->target.capabilities = CAP(DAC_OVERRIDE) | UINT64_C(1) << 10;
	expect(fixture, EACCES, PM_ERROR_ACCESS, "has capabilities that you lack");
	fixture->target.capabilities = CAP(DAC_OVERRIDE);
	expect(fixture, EACCES, PM_ERROR_ACCESS, "is protected");
}

static void file_of_its_owner_only(void **state)
{
	struct fixture *fixture = *state;
	uint32_t user = getuid() + 1;
	be(&fixture->own, user, user, user);
	fixture->own.capabilities = CAP(SYS_PTRACE);
	expect(fixture, EACCES, PM_ERROR_ACCESS, "CAP_SYS_PTRACE does not override this");
	fixture->own.capabilities |= CAP(DAC_READ_SEARCH);
	expect(fixture, EACCES, PM_ERROR_ACCESS, "is protected");
}

static void yama(void **state)
{
	struct fixture *fixture = *state;
	tree_write(fixture->root, "sys/kernel/yama/ptrace_scope", "1\n");
	expect(fixture, EPERM, PM_ERROR_ACCESS,
	       "kernel.yama.ptrace_scope=1: only its own ancestors may access it");
	fixture->target.tracer = 13;
	expect(fixture, EPERM, PM_ERROR_ACCESS,
	       "ptrace_scope=1: only its own ancestors may access it; run procmem as root (sudo), "
	       "or: "
	       "sysctl");

	expect_also(fixture, "; it is also traced by process 13");
	fixture->target.tracer = 0;
	tree_write(fixture->root, "sys/kernel/yama/ptrace_scope", "2\n");
	expect(fixture, EPERM, PM_ERROR_ACCESS, "kernel.yama.ptrace_scope=2: only root may");
	tree_write(fixture->root, "sys/kernel/yama/ptrace_scope", "3\n");
	fixture->own.capabilities = CAP(SYS_PTRACE);
	expect(fixture, EPERM, PM_ERROR_ACCESS, "kernel.yama.ptrace_scope=3: no process may");
	tree_write(fixture->root, "sys/kernel/yama/ptrace_scope", "0\n");

	expect(fixture, EPERM, PM_ERROR_ACCESS, "is protected");
}

static void yama_lets_ancestors_and_root(void **state)
{
	struct fixture *fixture = *state;
	tree_write(fixture->root, "sys/kernel/yama/ptrace_scope", "1\n");

	struct process between = usual("13", 13);
	between.parent = fixture->own.pid;
	fixture->target.parent = 13;
	save(fixture->root, &between);
	expect(fixture, EPERM, PM_ERROR_ACCESS, "is protected");

	/* A loop of parents, as recycled PIDs in a saved tree may make it, comes to an end. */
	between.parent = TARGET;
	save(fixture->root, &between);
	expect(fixture, EPERM, PM_ERROR_ACCESS, "ptrace_scope=1");
	fixture->own.capabilities = CAP(SYS_PTRACE);
	expect(fixture, EPERM, PM_ERROR_ACCESS, "is protected");
}

static void already_traced(void **state)
{
	struct fixture *fixture = *state;
	fixture->target.tracer = 77;
	expect(fixture, EPERM, PM_ERROR_ACCESS,
	       "process 12 (shop): it is already traced by process 77");

	struct process tracer = usual("77", 77);
	tracer.name = "gdb";
	save(fixture->root, &tracer);
	expect(fixture, EPERM, PM_ERROR_ACCESS, "is already traced by process 77 (gdb)");

	/* The kernel names the thread that traces. */
	fixture->target.tracer = 78;
	tracer = usual("78", 77);
	tracer.name = "gdb";
	save(fixture->root, &tracer);
	expect(fixture, EPERM, PM_ERROR_ACCESS, "is already traced by process 77 (gdb)");
}

static void kernel_thread(void **state)
{
	struct fixture *fixture = *state;
	fixture->target.flags = 0x00208040; /* PF_KTHREAD and others, as kthreadd has them */
	fixture->target.name = "kworker/0:1";
	be(&fixture->target, 0, 0, 0);
	expect(fixture, EACCES, PM_ERROR_NO_MEMORY,
	       "process 12 (kworker/0:1): it is a kernel thread");
	expect(fixture, 0, PM_ERROR_NO_MEMORY, "is a kernel thread");
}

static void zombie(void **state)
{
	struct fixture *fixture = *state;
	fixture->target.state = 'Z';
	fixture->target.parent = 9;
	expect(fixture, 0, PM_ERROR_NO_MEMORY, "is a zombie");

	struct process parent = usual("9", 9);
	parent.name = "make";
	save(fixture->root, &parent);
	expect(fixture, ESRCH, PM_ERROR_NO_MEMORY, "its parent 9 (make) has not waited");

	/* Its first thread ended, but it lives. */
	fixture->target.threads = 3;
	expect(fixture, 0, PM_ERROR_GONE, "ended or called exec");
}

static void not_there(void **state)
{
	struct fixture *fixture = *state;
	save(fixture->root, &fixture->own);
	assert_int_equal(pm_access_explain(fixture->root, TARGET, "read the maps of", ENOENT,
	                                   &fixture->error),
	                 -1);
	assert_int_equal(fixture->error.kind, PM_ERROR_NOT_FOUND);
	assert_int_equal(fixture->error.pid, TARGET);
	assert_string_equal(fixture->error.text, "no process has PID 12");

	explain(fixture, ESRCH);
	assert_int_equal(fixture->error.kind, PM_ERROR_GONE);
	explain(fixture, EACCES);
	assert_int_equal(fixture->error.kind, PM_ERROR_ACCESS);
}

static void hidden(void **state)
{
	struct fixture *fixture = *state;
	be(&fixture->own, 54321, 54321, 54321);
	save(fixture->root, &fixture->own);
	tree_write(fixture->root, "self/mountinfo",
	           "21 1 254:0 / / rw,relatime - ext4 /dev/root rw\n"
	           "22 21 0:20 / /proc rw,relatime shared:5 master:2 - proc proc "
	           "rw,gid=33,hidepid=invisible\n");
	explain(fixture, ENOENT);

	assert_int_equal(fixture->error.kind, PM_ERROR_ACCESS);
	expect_also(fixture, "hidepid=invisible");
	expect_also(fixture, "sudo");
}

static void other_failures(void **state)
{
	struct fixture *fixture = *state;
	expect(fixture, EMFILE, PM_ERROR_RESOURCES, "Too many open files");
	expect(fixture, ENOSYS, PM_ERROR_UNSUPPORTED, "Function not implemented");
	expect(fixture, EIO, PM_ERROR_IO, "Input/output error");
	expect(fixture, ENOENT, PM_ERROR_NOT_FOUND, "No such file");
	expect(fixture, ESRCH, PM_ERROR_GONE, "ended or called exec");
}

static void nothing_explains_it(void **state)
{
	struct fixture *fixture = *state;
	expect(fixture, EACCES, PM_ERROR_ACCESS, "is protected (Permission denied)");
	expect_also(fixture, "AppArmor");
	fixture->own.seccomp = 2;
	expect(fixture, EPERM, PM_ERROR_ACCESS, "seccomp filter");
	expect_also(fixture, "--cap-add SYS_PTRACE");
}

static void hostile_name(void **state)
{
	struct fixture *fixture = *state;
	be(&fixture->own, 54321, 54321, 54321);
	be(&fixture->target, 0, 0, 0);
	fixture->target.name = "ed) ge (x";
	expect(fixture, EACCES, PM_ERROR_ACCESS, "process 12 (ed) ge (x): it runs as root");
	save(fixture->root, &fixture->target);
	tree_write(fixture->root, "12/stat",
	           "12 (two\nlines) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0\n");

	explain(fixture, EACCES);
	expect_also(fixture, "runs as root");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(other_user),
		TEST(root_of_a_container),
		TEST(set_user_id_program),
		TEST(other_group),
		TEST(not_dumpable),
		TEST(inside_of_a_user_namespace),
		TEST(outside_of_its_user_namespace),
		TEST(same_user_namespace),
		TEST(more_capabilities),
		TEST(file_of_its_owner_only),
		TEST(yama),
		TEST(yama_lets_ancestors_and_root),
		TEST(already_traced),
		TEST(kernel_thread),
		TEST(zombie),
		TEST(not_there),
		TEST(hidden),
		TEST(other_failures),
		TEST(nothing_explains_it),
		TEST(hostile_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
