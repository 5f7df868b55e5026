/* SPDX-License-Identifier: MIT */
/* OOM kills in logs of several kernels, with hostile names, and a kill in a group of our own. */
#include <procmem/oom_log.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/group.h"
#include "support/target.h"
#include "support/tree.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

/* The end of a record of a kill. */
#define SIZES                                                                         \
	"total-vm:221552kB, anon-rss:32384kB, file-rss:6596kB, shmem-rss:4kB, UID:0 " \
	"pgtables:132kB oom_score_adj:0\n"

static struct pm_oom_log read_log(const char *text)
{
	char *root = tree_create(), path[512];
	struct pm_oom_log log = { 0 };
	struct pm_error error = { 0 };

	tree_write(root, "kmsg", "%s", text);
	snprintf(path, sizeof path, "%s/kmsg", root);
	must(pm_oom_log_read(path, &log, &error), &error);
	tree_remove(root);
	return log;
}

/** Records of Linux 6.18, as /dev/kmsg had them. */
static void kill_by_the_limit_of_a_group(void **state)
{
	(void)state;
	struct pm_oom_log log = read_log(
		"6,0,1,-;Linux version 6.18\n SUBSYSTEM=none\n"
		"4,425,1260730054,-;python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), "
		"order=0, oom_score_adj=0\n"
		"6,503,1260730640,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
		"mems_allowed=0,oom_memcg=/shop,task_memcg=/shop/web,task=python3,pid=15092,uid=0\n"
		"3,504,1260730659,-;Memory cgroup out of memory: Killed process 15092 "
		"(python3) " SIZES);

	assert_int_equal(log.count, 1);
	assert_true(log.complete);
	const struct pm_oom_kill *kill = &log.kills[0];
	assert_int_equal(kill->pid, 15092);
	assert_string_equal(kill->comm, "python3");
	assert_int_equal(kill->constraint, PM_OOM_MEMCG);
	assert_string_equal(kill->group, "/shop/web");
	assert_string_equal(kill->limit_group, "/shop");

	assert_int_equal(kill->time_us, 1260730659);
	assert_true(kill->sizes_known && !kill->age_known);
	assert_int_equal(kill->total_vm, 221552 * KIB);
	assert_int_equal(kill->anon_rss, 32384 * KIB);
	assert_int_equal(kill->file_rss, 6596 * KIB);
	assert_int_equal(kill->shmem_rss, 4 * KIB);
	pm_oom_log_deinit(&log);
}

static void kill_of_the_machine(void **state)
{
	(void)state;
	struct pm_oom_log log = read_log(
		"6,7,10,-;oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,"
		"mems_allowed=0,global_oom,task_memcg=/user.slice,task=hog,pid=5,uid=1000\n"
		"3,8,11,-;Out of memory: Killed process 5 (hog) " SIZES
		"6,9,12,-;oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),cpuset=b,"
		"mems_allowed=1,global_oom,task_memcg=/b,task=hog,pid=6,uid=1000\n"
		"3,10,13,-;Out of memory (oom_kill_allocating_task): Killed process 6 "
		"(hog) " SIZES);

	assert_int_equal(log.count, 2);
	assert_false(log.complete);
	assert_int_equal(log.kills[0].constraint, PM_OOM_GLOBAL);
	assert_string_equal(log.kills[0].group, "/user.slice");
	assert_string_equal(log.kills[0].limit_group, "");
	assert_int_equal(log.kills[1].constraint, PM_OOM_CPUSET);
	assert_int_equal(log.kills[1].pid, 6);
	pm_oom_log_deinit(&log);
}

/** Linux 4.x: the group is in a record of its own, and `Kill` comes before `Killed`. */
static void old_format(void **state)
{
	(void)state;
	struct pm_oom_log log = read_log(
		"4,5,9,-;java invoked oom-killer: gfp_mask=0x14000c0, nodemask=(null), order=0\n"
		"6,6,10,-;Task in /docker/ab killed as a result of limit of /docker\n"
		"3,7,11,-;Memory cgroup out of memory: Kill process 77 (java) score 999 or "
		"sacrifice child\n"
		"3,8,12,-;Killed process 77 (java) total-vm:2048kB, anon-rss:1024kB, file-rss:0kB\n"
		"3,9,13,-;Out of memory: Kill process 78 (perl) score 9 or sacrifice child\n"
		"3,10,14,-;Killed process 78 (perl), UID 0, total-vm:2048kB, anon-rss:8kB, "
		"file-rss:0kB\n");

	assert_int_equal(log.count, 2);
	assert_int_equal(log.kills[0].pid, 77);
	assert_string_equal(log.kills[0].group, "/docker/ab");
	assert_string_equal(log.kills[0].limit_group, "/docker");
	assert_int_equal(log.kills[0].constraint, PM_OOM_MEMCG);
	assert_int_equal(log.kills[0].anon_rss, MIB);
	assert_int_equal(log.kills[0].shmem_rss, 0);

	assert_string_equal(log.kills[1].comm, "perl");
	assert_string_equal(log.kills[1].group, "");
	assert_int_equal(log.kills[1].anon_rss, 8 * KIB);
	pm_oom_log_deinit(&log);
}

/** With memory.oom.group, all processes are killed for the first one's reason. */
static void whole_group(void **state)
{
	(void)state;
	struct pm_oom_log log = read_log(
		"6,6,10,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
		"mems_allowed=0,oom_memcg=/a,task_memcg=/a/b,task=one,pid=1001,uid=0\n"
		"3,7,11,-;Memory cgroup out of memory: Killed process 1001 (one) " SIZES
		"6,8,12,-;Tasks in /a are going to be killed due to memory.oom.group set\n"
		"3,9,13,-;Memory cgroup out of memory: Killed process 1002 (two) " SIZES
		"3,10,14,-;Memory cgroup out of memory: Killed process 1003 (three) " SIZES
		/* Much later, and its summary was left out by the kernel. */
		"3,11,90000000,-;Memory cgroup out of memory: Killed process 1004 (four) " SIZES);

	assert_int_equal(log.count, 4);
	assert_string_equal(log.kills[0].group, "/a/b");
	assert_string_equal(log.kills[1].group, "/a");
	assert_string_equal(log.kills[1].limit_group, "/a");
	assert_string_equal(log.kills[2].group, "/a");
	assert_string_equal(log.kills[3].comm, "four");
	assert_string_equal(log.kills[3].group, "");
	assert_int_equal(log.kills[3].constraint, PM_OOM_MEMCG);
	pm_oom_log_deinit(&log);
}

/** Names that look like parts of a record, and escapes. */
static void hostile_names(void **state)
{
	(void)state;
	struct pm_oom_log log = read_log(
		"6,1,10,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
		"mems_allowed=0,oom_memcg=/x,task_memcg=/y,task_memcg=/x,task_memcg=/y/z,"
		"task=a,pid=1,uid=0,pid=4242,uid=7\n"
		"3,2,11,-;Memory cgroup out of memory: Killed process 4242 (a,pid=1,uid=0) " SIZES
		"6,3,12,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
		"mems_allowed=0,oom_memcg=/t,task_memcg=/t,task=b,task=) total-vm:1,pid=50,uid=0\n"
		"3,4,13,-;Memory cgroup out of memory: Killed process 50 () total-vm:1) " SIZES
		"6,5,14,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
		"mems_allowed=0,oom_memcg=/\\x5cx,task_memcg=/"
		"\\x5cx,task=we\\x0a)\\xff,pid=51,uid=0\n"
		"3,6,15,-;Memory cgroup out of memory: Killed process 51 (we\\x0a)\\xff) " SIZES);

	assert_int_equal(log.count, 3);
	assert_string_equal(log.kills[0].comm, "a,pid=1,uid=0");
	assert_int_equal(log.kills[0].pid, 4242);
	assert_string_equal(log.kills[0].limit_group, "/x,task_memcg=/y");
	assert_string_equal(log.kills[0].group, "/x,task_memcg=/y/z");

	assert_string_equal(log.kills[1].comm, ") total-vm:1");
	assert_string_equal(log.kills[1].group, "/t,task=b");
	assert_int_equal(log.kills[1].total_vm, 221552 * KIB);
	assert_string_equal(log.kills[2].comm, "we\n)\xff");
	assert_string_equal(log.kills[2].group, "/\\x");
	pm_oom_log_deinit(&log);
}

/** Parts that are missing are not known, and what programs have written is ignored. */
static void damaged_and_forged(void **state)
{
	(void)state;
	struct pm_oom_log log = read_log(
		"6,1,10,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
		"mems_allowed=0,oom_memcg=/a,task_memcg=/a/very/lo\n"
		"3,2,11,-;Memory cgroup out of memory: Killed process 9 (cut) total-vm:1kB, anon\n"
		"3,3,12,-;Memory cgroup out of memory: Killed process 99999999999 (huge) " SIZES
		"3,4,13,-;Out of memory: Killed process 10 (big) total-vm:1kB, "
		"anon-rss:18446744073709551615kB, file-rss:1kB\n"
		"11,5,14,-;Out of memory: Killed process 11 (forged) " SIZES
		"3,6,15,-;Out of memory: Killed process 12 (no end\n"
		"Out of memory: Killed process 13 (no prefix) " SIZES
		"3,7,16;Killed process 14 (short prefix) " SIZES
		"3,8,17,-;Out of memory: Killed process 15 (last) total-vm:1kB");

	assert_int_equal(log.count, 2);
	assert_int_equal(log.kills[0].pid, 9);
	assert_string_equal(log.kills[0].comm, "cut");
	assert_string_equal(log.kills[0].group, "");
	assert_false(log.kills[0].sizes_known);
	assert_int_equal(log.kills[0].anon_rss, 0);

	assert_int_equal(log.kills[1].pid, 10);
	assert_false(log.kills[1].sizes_known);
	assert_int_equal(log.kills[1].constraint, PM_OOM_GLOBAL);
	pm_oom_log_deinit(&log);
}

static void the_newest_are_kept(void **state)
{
	(void)state;
	enum { COUNT = PM_OOM_KILLS_MAX + 5 };
	size_t size = COUNT * 256, length = 0;
	char *text = malloc(size);
	assert_non_null(text);

	for (int i = 0; i < COUNT; i++)
		length += (size_t)snprintf(text + length, size - length,
		                           "3,%d,%d,-;Out of memory: Killed process %d (x) %s", i,
		                           i, i + 1, SIZES);
	struct pm_oom_log log = read_log(text);
	free(text);

	assert_int_equal(log.count, PM_OOM_KILLS_MAX);
	assert_int_equal(log.dropped, 5);
	assert_int_equal(log.kills[0].pid, 6);
	assert_int_equal(log.kills[log.count - 1].pid, COUNT);
	pm_oom_log_deinit(&log);
}

static void other_files_are_refused(void **state)
{
	(void)state;
	char *root = tree_create(), path[512];
	struct pm_oom_log log = { 0 };
	struct pm_error error = { 0 };

	snprintf(path, sizeof path, "%s/none", root);
	assert_int_equal(pm_oom_log_read(path, &log, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.text, "on the host"));

	/* Nothing ever writes to the pipe: it must not be opened. */
	snprintf(path, sizeof path, "%s/pipe", root);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pm_oom_log_read(path, &log, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	/* Containers often have such a device instead of the log. */
	assert_int_equal(pm_oom_log_read("/dev/null", &log, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	assert_non_null(strstr(error.text, "is not the log of the kernel"));
	assert_int_equal(log.count, 0);
	tree_remove(root);
}

/** Finds the kill of a process. */
static const struct pm_oom_kill *find(const struct pm_oom_log *log, pid_t pid)
{
	for (size_t i = log->count; i-- > 0;)
		if (log->kills[i].pid == pid)
			return &log->kills[i];
	return NULL;
}

static void living_process(void **state)
{
	(void)state;
	struct pm_oom_log log = { 0 };
	struct pm_error error = { 0 };
	struct group group = { 0 };
	struct target target;
	int status;

	if (pm_oom_log_read(NULL, &log, &error) < 0)
		skip_because("%s", error.text);
	pm_oom_log_deinit(&log);

	target_start(&target, "hog", NULL);
	target_be_killed_first(&target);
	pid_t pid = target.pid;
	const char *obstacle = group_make(&group, 32 * MIB);
	if (!obstacle)
		obstacle = group_add(&group, pid);
	if (obstacle) {
		target_stop(&target);
		group_remove(&group);
		skip_because("%s", obstacle);
	}

	char path[sizeof group.path];
	memcpy(path, group.path, sizeof path);
	fputs("eat 200\n", target.to);
	fflush(target.to);
	target_await_end(&target, &status);
	group_remove(&group);

	/* The process can only be in the log if it is in the first PID namespace. */
	must(pm_oom_log_read(NULL, &log, &error), &error);
	const struct pm_oom_kill *kill = find(&log, pid);
	if (!kill) {
		pm_oom_log_deinit(&log);
		skip_because("the log has no PIDs of this namespace");
	}
	assert_string_equal(kill->comm, "hog");
	assert_int_equal(kill->constraint, PM_OOM_MEMCG);
	assert_true(kill->age_known && kill->seconds_ago < 600);
	assert_true(kill->anon_rss > 10 * MIB && kill->anon_rss <= 32 * MIB);
	assert_true(kill->total_vm > 200 * MIB);
	if (*kill->group)
		assert_non_null(strstr(kill->group, path));
	pm_oom_log_deinit(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kill_by_the_limit_of_a_group),
		cmocka_unit_test(kill_of_the_machine),
		cmocka_unit_test(old_format),
		cmocka_unit_test(whole_group),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(damaged_and_forged),
		cmocka_unit_test(the_newest_are_kept),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(living_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
