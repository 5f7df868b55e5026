/* SPDX-License-Identifier: MIT */
/* Who shares a limit: saved trees of both versions of cgroups, and a group of our own. */
#include <procmem/members.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/group.h"
#include "support/target.h"
#include "support/tree.h"

#define MIB (UINT64_C(1) << 20)

static void add_process(const char *root, int pid, const char *name, uint64_t rss_kb,
                        uint64_t swap_kb, const char *cgroup)
{
	char path[64];
	tree_add_process(root, pid, name, "VmRSS:\t%" PRIu64 " kB\nVmSwap:\t%" PRIu64 " kB\n",
	                 rss_kb, swap_kb);
	snprintf(path, sizeof path, "proc/%d/comm", pid);
	tree_write(root, path, "%s\n", name);
	snprintf(path, sizeof path, "proc/%d/cgroup", pid);
	tree_write(root, path, "%s", cgroup);
}

static struct pm_members read_saved(const char *root, int pid)
{
	char *sys;
	struct pm_process *process = tree_open_process(root, pid, &sys);
	struct pm_members members = { 0 };
	struct pm_error error = { 0 };

	must(pm_members_read(process, sys, &members, &error), &error);
	pm_process_close(process);
	free(sys);
	return members;
}

/** The limit is that of an ancestor of the process's group: all groups below that one count. */
static void v2_members_of_the_group_with_the_limit(void **state)
{
	(void)state;
	char *root = tree_create();
	add_process(root, 12, "java", 2000, 100, "0::/shop/web\n");
	add_process(root, 13, "sidecar", 60, 0, "0::/shop/side/car\n");
	add_process(root, 14, "helper", 900, 1500, "0::/shop\n");
	add_process(root, 15, "stranger", 70000, 0, "0::/other\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.max", "max\n");
	tree_write(root, "sys/fs/cgroup/shop/web/cgroup.procs", "12\n");

	tree_write(root, "sys/fs/cgroup/shop/side/car/cgroup.procs", "13\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "4194304\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.current", "3000000\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.stat",
	           "anon 2500000\nfile 400000\nkernel 6000\nslab_unreclaimable 2000\n"
	           "sock 500\ninactive_file 300000\n");

	/* 0 is a process of another PID namespace, 99 has ended. */
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "0\n99\n14\n0\n");
	tree_write(root, "sys/fs/cgroup/other/cgroup.procs", "15\n");

	struct pm_members members = read_saved(root, 12);
	assert_string_equal(members.group, "/shop");
	assert_int_equal(members.count, 3);
	assert_int_equal(members.others, 2);
	assert_int_equal(members.items[0].pid, 14);
	assert_int_equal(members.items[0].rss, 900 * 1024);
	assert_int_equal(members.items[0].swap, 1500 * 1024);
	assert_string_equal(members.items[1].comm, "java");

	assert_int_equal(members.items[2].pid, 13);
	assert_int_equal(members.cache, 400000);
	assert_int_equal(members.reclaimable, 300000);
	assert_int_equal(members.kernel, 6500);
	pm_members_deinit(&members);
	tree_remove(root);
}

static void v1_members(void **state)
{
	(void)state;
	char *root = tree_create();
	add_process(root, 12, "java", 2000, 0, "4:memory:/shop\n0::/\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.limit_in_bytes", "4194304\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.usage_in_bytes", "4000000\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.stat",
	           "cache 1\ninactive_file 2\ntotal_cache 5000\ntotal_shmem "
	           "700\ntotal_inactive_file 4000\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.kmem.usage_in_bytes", "800\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/cgroup.procs", "12\n");

	struct pm_members members = read_saved(root, 12);
	assert_string_equal(members.group, "/shop");
	assert_int_equal(members.count, 1);
	assert_int_equal(members.cache, 5000);
	assert_int_equal(members.shmem, 700);
	assert_int_equal(members.reclaimable, 4000);
	assert_int_equal(members.kernel, 800);
	pm_members_deinit(&members);
	tree_remove(root);
}

static void no_members_without_a_limit(void **state)
{
	(void)state;
	char *root = tree_create();
	add_process(root, 12, "java", 2000, 0, "0::/shop\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "max\n");
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "12\n");

	struct pm_members members = read_saved(root, 12);
	assert_null(members.group);
	assert_int_equal(members.count, 0);
	pm_members_deinit(&members);
	tree_remove(root);
}

static void big_groups_are_counted(void **state)
{
	(void)state;
	char *root = tree_create(), *text = malloc(PM_MEMBERS_MAX * 2 * 8);
	add_process(root, 12, "java", 2000, 0, "0::/shop\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "4194304\n");

	size_t length = 0;
	for (int i = 0; i < PM_MEMBERS_MAX + 17; i++)
		length += (size_t)sprintf(text + length, "12\n");

	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "%s", text);
	struct pm_members members = read_saved(root, 12);
	assert_int_equal(members.count, PM_MEMBERS_MAX);
	assert_int_equal(members.others, 17);
	pm_members_deinit(&members);
	free(text);
	tree_remove(root);
}

/** Groups nested deeper than in practice: those that are not read are reported. */
static void groups_nested_too_deep(void **state)
{
	(void)state;
	enum { DEPTH = 70 };

	char *root = tree_create(), path[64 + DEPTH * 2 + 16];
	add_process(root, 12, "java", 2000, 0, "0::/shop\n");
	add_process(root, 13, "deep", 50, 0, "0::/shop\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "4194304\n");
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "12\n");
	tree_write(root, "sys/fs/cgroup/shop/below/cgroup.procs", "\n");

	struct pm_members members = read_saved(root, 12);
	assert_int_equal(members.count, 1);
	assert_false(members.incomplete);
	pm_members_deinit(&members);

	size_t length = (size_t)sprintf(path, "sys/fs/cgroup/shop");
	for (int depth = 1; depth <= DEPTH; depth++) {
		length += (size_t)sprintf(path + length, "/a");
		snprintf(path + length, sizeof path - length, "/cgroup.procs");
		tree_write(root, path, "%s", depth == DEPTH ? "13\n" : "\n");
	}

	members = read_saved(root, 12);
	assert_int_equal(members.count, 1);
	assert_true(members.incomplete);
	pm_members_deinit(&members);
	tree_remove(root);
}

/** A group that cannot be read is reported, not only left out. */
static void unreadable_group(void **state)
{
	(void)state;
	char *root = tree_create();
	add_process(root, 12, "java", 2000, 0, "0::/shop\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "4194304\n");
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "12\n");

	/* A folder in place of the file: for root, too, it cannot be read. */
	tree_write(root, "sys/fs/cgroup/shop/below/cgroup.procs/file", "\n");

	struct pm_members members = read_saved(root, 12);
	assert_int_equal(members.count, 1);
	assert_true(members.incomplete);
	pm_members_deinit(&members);
	tree_remove(root);
}

/** Two processes that eat so much, in a group of our own. */
/** The processes of the group with the limit, or of the own group, are listed without sizes. */
static void pids_of_both_groups(void **state)
{
	(void)state;
	char *root = tree_create(), *sys;
	struct pm_member_pids pids;

	add_process(root, 12, "java", 2000, 100, "0::/shop/web\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.max", "max\n");
	tree_write(root, "sys/fs/cgroup/shop/web/cgroup.procs", "12\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "4194304\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.current", "3000000\n");
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "0\n99\n14\n");

	struct pm_process *process = tree_open_process(root, 12, &sys);
	assert_int_equal(pm_member_pids_read(process, sys, PM_MEMBERS_OF_LIMIT, &pids, NULL), 0);
	assert_string_equal(pids.group, "/shop");
	assert_int_equal(pids.count, 3);
	assert_int_equal(pids.others, 1);
	assert_false(pids.incomplete);
	pm_member_pids_deinit(&pids);

	assert_int_equal(pm_member_pids_read(process, sys, PM_MEMBERS_OF_CGROUP, &pids, NULL), 0);
	assert_string_equal(pids.group, "/shop/web");
	assert_int_equal(pids.count, 1);
	assert_int_equal(pids.items[0], 12);
	pm_member_pids_deinit(&pids);

	/* Without a limit, only the own group has processes. */
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "max\n");
	assert_int_equal(pm_member_pids_read(process, sys, PM_MEMBERS_OF_LIMIT, &pids, NULL), 0);
	assert_null(pids.group);
	assert_int_equal(pids.count, 0);
	pm_member_pids_deinit(&pids);

	pm_process_close(process);
	tree_remove(root);
	free(sys);
}

static void living_processes(void **state)
{
	(void)state;
	struct target large, small;
	struct group group;
	struct pm_process *process;
	struct pm_members members = { 0 };

	target_start(&large, "hog", NULL);
	target_start(&small, "hog", NULL);

	pid_t pids[2] = { large.pid, small.pid };
	const char *obstacle = group_make(&group, 96 * MIB);
	if (!obstacle)
		obstacle = group_add(&group, large.pid);
	if (!obstacle)
		obstacle = group_add(&group, small.pid);
	target_tell(&large, "eat 30");
	target_tell(&small, "eat 10");

	assert_int_equal(pm_process_open(NULL, small.pid, &process, NULL), 0);
	int result = obstacle ? 0 : pm_members_read(process, NULL, &members, NULL);
	const struct group made = group;
	pm_process_close(process);
	target_stop(&large);
	target_stop(&small);
	group_remove(&group);
	if (obstacle)
		skip_because("%s", obstacle);

	assert_int_equal(result, 0);
	assert_string_equal(members.group, made.path);
	assert_int_equal(members.count, 2);
	assert_int_equal(members.items[0].pid, pids[0]);
	assert_int_equal(members.items[1].pid, pids[1]);
	assert_string_equal(members.items[0].comm, "hog");
	assert_true(members.items[0].rss + members.items[0].swap >= 30 * MIB &&
	            members.items[0].rss < 40 * MIB);

	assert_true(members.items[1].rss + members.items[1].swap >= 10 * MIB &&
	            members.items[1].rss < 20 * MIB);
	pm_members_deinit(&members);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v2_members_of_the_group_with_the_limit),
		cmocka_unit_test(v1_members),
		cmocka_unit_test(no_members_without_a_limit),
		cmocka_unit_test(big_groups_are_counted),
		cmocka_unit_test(groups_nested_too_deep),
		cmocka_unit_test(unreadable_group),
		cmocka_unit_test(pids_of_both_groups),
		cmocka_unit_test(living_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
