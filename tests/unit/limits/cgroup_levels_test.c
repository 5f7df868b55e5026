/* SPDX-License-Identifier: MIT */
/* A cgroup and its ancestors: saved trees of both versions, and a cgroup of our own. */
#include <procmem/cgroup_levels.h>

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

/** A v2 tree with the levels /shop/web, /shop and the root, which has no usage. */
static char *make_v2_tree(void)
{
	char *root = tree_create();
	tree_add_process(root, 12, "java",
	                 "VmRSS:\t2000 kB\nRssAnon:\t1500 kB\nRssShmem:\t300 kB\n");
	tree_write(root, "proc/12/comm", "java\n");
	tree_write(root, "proc/12/cgroup", "0::/shop/web\n");

	tree_write(root, "sys/fs/cgroup/cgroup.controllers", "memory\n");
	tree_write(root, "sys/fs/cgroup/memory.stat", "anon 900000\n");
	tree_write(root, "sys/fs/cgroup/shop/cgroup.controllers", "memory\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.current", "8000000\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "9000000\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.stat", "anon 7000000\nfile 500000\n");
	tree_write(root, "sys/fs/cgroup/shop/web/cgroup.controllers", "memory\n");
	tree_write(root, "sys/fs/cgroup/shop/web/cgroup.procs", "12\n");

	tree_write(root, "sys/fs/cgroup/shop/web/memory.current", "4000000\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.max", "max\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.high", "6000000\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.peak", "5000000\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.swap.current", "70000\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.swap.max", "80000\n");
	tree_write(root, "sys/fs/cgroup/shop/web/hugetlb.2MB.current", "2097152\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.events",
	           "low 0\nhigh 3\nmax 4\noom 2\noom_kill 1\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.stat",
	           "anon 3000000\nfile 600000\nkernel 300000\nshmem 500000\nslab_reclaimable "
	           "200000\n");
	return root;
}

static void check_v2_levels(const struct pm_cgroup_levels *levels)
{
	const struct pm_cgroup_level *web = &levels->items[0];

	assert_int_equal(levels->count, 3);
	assert_string_equal(web->path, "/shop/web");
	assert_int_equal(web->version, 2);
	assert_int_equal(web->current, 4000000);
	assert_true(web->max == UINT64_MAX);
	assert_int_equal(web->high, 6000000);
	assert_int_equal(web->peak, 5000000);
	assert_int_equal(web->swap, 70000);
	assert_int_equal(web->swap_max, 80000);
	assert_int_equal(web->hugetlb, 2 * MIB);
	assert_true(web->events.known);

	assert_int_equal(web->events.max, 4);
	assert_int_equal(web->events.oom_kill, 1);
	assert_int_equal(web->split.parts[PM_CGROUP_SHMEM], 500000);
	assert_int_equal(web->split.parts[PM_CGROUP_KERNEL_OTHER], 100000);
	assert_int_equal(web->split.rest, 100000);

	assert_string_equal(levels->items[1].path, "/shop");
	assert_int_equal(levels->items[1].max, 9000000);
	assert_int_equal(levels->items[1].split.rest, 500000);
	assert_true(levels->items[1].hugetlb == UINT64_MAX);
	assert_string_equal(levels->items[2].path, "/");
	assert_true(levels->items[2].current == UINT64_MAX);
	assert_int_equal(levels->items[2].split.parts[PM_CGROUP_ANON], 900000);
	assert_int_equal(levels->items[2].split.rest, 0);
}

static void v2_levels_of_a_process(void **state)
{
	(void)state;
	char *root = make_v2_tree(), *sys;
	struct pm_process *process = tree_open_process(root, 12, &sys);
	struct pm_cgroup_levels levels;
	struct pm_error error = { 0 };

	must(pm_cgroup_levels_read(process, sys, &levels, &error), &error);
	check_v2_levels(&levels);
	pm_cgroup_levels_deinit(&levels);
	pm_process_close(process);
	free(sys);
	tree_remove(root);
}

static void v2_levels_of_a_folder(void **state)
{
	(void)state;
	char *root = make_v2_tree(), path[4096], proc[4096];
	struct pm_cgroup_levels levels;
	struct pm_members members;
	struct pm_error error = { 0 };

	snprintf(path, sizeof path, "%s/sys/fs/cgroup/shop/web//", root);
	snprintf(proc, sizeof proc, "%s/proc", root);
	must(pm_cgroup_levels_read_folder(path, &levels, &error), &error);
	check_v2_levels(&levels);

	/* The processes of a level are those of all cgroups below. */
	must(pm_cgroup_levels_members(&levels.items[2], proc, &members, &error), &error);
	assert_int_equal(members.count, 1);
	assert_int_equal(members.items[0].pid, 12);
	assert_int_equal(members.items[0].anon, 1500 * 1024);
	assert_int_equal(members.items[0].shmem, 300 * 1024);
	pm_members_deinit(&members);
	pm_cgroup_levels_deinit(&levels);
	tree_remove(root);
}

static void other_folders_are_refused(void **state)
{
	(void)state;
	char *root = tree_create(), path[4096];
	struct pm_cgroup_levels levels = { 0 };
	struct pm_error error = { 0 };

	tree_write(root, "plain/file", "\n");
	tree_write(root, "cpu/cgroup.procs", "\n");
	tree_write(root, "v2/cgroup.controllers", "cpu\n");
	snprintf(path, sizeof path, "%s/plain", root);
	assert_int_equal(pm_cgroup_levels_read_folder(path, &levels, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_non_null(strstr(error.text, "is not a cgroup"));

	snprintf(path, sizeof path, "%s/cpu", root);
	assert_int_equal(pm_cgroup_levels_read_folder(path, &levels, &error), -1);
	assert_non_null(strstr(error.text, "of another controller"));
	snprintf(path, sizeof path, "%s/v2", root);
	assert_int_equal(pm_cgroup_levels_read_folder(path, &levels, &error), -1);
	assert_non_null(strstr(error.text, "without the memory controller"));
	snprintf(path, sizeof path, "%s/absent", root);
	assert_int_equal(pm_cgroup_levels_read_folder(path, &levels, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	tree_remove(root);
}

/** The root of v1 does not count memory of the kernel. */
static void v1_levels(void **state)
{
	(void)state;
	char *root = tree_create(), path[4096];
	struct pm_cgroup_levels levels;
	struct pm_error error = { 0 };

	tree_write(root, "memory/cgroup.sane_behavior", "0\n");
	tree_write(root, "memory/memory.usage_in_bytes", "1000\n");
	tree_write(root, "memory/memory.kmem.usage_in_bytes", "600\n");
	tree_write(root, "memory/memory.limit_in_bytes", "9223372036854771712\n");
	tree_write(root, "memory/memory.stat", "total_rss 400\ntotal_cache 600\ntotal_swap 5\n");
	tree_write(root, "memory/shop/memory.usage_in_bytes", "500\n");
	tree_write(root, "memory/shop/memory.kmem.usage_in_bytes", "100\n");
	tree_write(root, "memory/shop/memory.limit_in_bytes", "4096\n");
	tree_write(root, "memory/shop/memory.stat", "total_rss 380\ntotal_cache 0\n");

	snprintf(path, sizeof path, "%s/memory/shop", root);
	must(pm_cgroup_levels_read_folder(path, &levels, &error), &error);
	assert_int_equal(levels.count, 2);
	assert_int_equal(levels.items[0].max, 4096);
	assert_int_equal(levels.items[0].split.parts[PM_CGROUP_KERNEL_OTHER], 100);
	assert_int_equal(levels.items[0].split.rest, 20);
	assert_int_equal(levels.items[0].kernel_outside, 0);
	assert_true(levels.items[1].max == UINT64_MAX);
	assert_int_equal(levels.items[1].kernel_outside, 600);
	assert_int_equal(levels.items[1].swap, 5);
	assert_int_equal(levels.items[1].split.excess, 0);
	pm_cgroup_levels_deinit(&levels);
	tree_remove(root);
}

/** Reads the usage of a cgroup from the file of the kernel. */
static uint64_t usage_of(const struct group *group)
{
	char path[8192];
	const char *name = group->version == 1 ? "memory.usage_in_bytes" : "memory.current";
	snprintf(path, sizeof path, "%s/%s", group->folder, name);

	char *text = read_text(path, NULL);
	uint64_t usage = strtoull(text, NULL, 10);
	free(text);
	return usage;
}

/** The parts of a living cgroup are what its process has done, and explain the usage. */
static void parts_of_a_living_cgroup(void **state)
{
	(void)state;
	struct target target = { 0 };
	struct group group;
	struct pm_cgroup_levels levels;
	struct pm_error error = { 0 };

	target_start(&target, "charger", NULL);
	const char *obstacle = group_make(&group, 512 * MIB);
	if (!obstacle)
		obstacle = group_add(&group, target.pid);
	if (obstacle) {
		target_stop(&target);
		group_remove(&group);
		skip_because("%s", obstacle);
	}

	target_tell(&target, "anon 40");
	target_tell(&target, "shared 20");
	target_tell(&target, "memfd 10");
	target_tell(&target, "pipes 64");
	must(pm_cgroup_levels_read_folder(group.folder, &levels, &error), &error);
	const struct pm_cgroup_level *level = &levels.items[0];
	const uint64_t *parts = level->split.parts;
	uint64_t usage = usage_of(&group);

	/* CPUs have up to 64 pages in advance, and statistics of up to 64 pages. */
	uint64_t tolerance = (uint64_t)sysconf(_SC_NPROCESSORS_CONF) * 256 * 1024;
	if (tolerance < usage / 100)
		tolerance = usage / 100;
	assert_in_range(parts[PM_CGROUP_ANON], 40 * MIB - tolerance, 42 * MIB + tolerance);
	assert_in_range(parts[PM_CGROUP_SHMEM], 30 * MIB - tolerance, 30 * MIB + tolerance);
	assert_in_range(level->current, usage - tolerance, usage + tolerance);
	assert_in_range(level->split.rest, 0, tolerance);
	assert_in_range(level->split.excess, 0, tolerance);
	/* Pipe buffers are memory of the kernel, 64 KiB each. */
	assert_true(pm_cgroup_parts_kernel(&level->split) + tolerance >= 4 * MIB);
	assert_int_equal(level->max, 512 * MIB);

	pm_cgroup_levels_deinit(&levels);
	target_stop(&target);
	group_remove(&group);
}

/** The list has a new cgroup, with its usage. */
static void all_cgroups_are_listed(void **state)
{
	(void)state;
	struct pm_process *process = open_process(getpid());
	struct pm_cgroup_list list;
	struct pm_error error = { 0 };
	struct group group;
	size_t found = 0;
	const char *obstacle = group_make(&group, 64 * MIB);

	must(pm_cgroup_levels_list(process, NULL, NULL, &list, &error), &error);
	for (size_t i = 0; i < list.count; i++) {
		found += !obstacle && strcmp(list.items[i].folder, group.folder) == 0;
		assert_true(i == 0 || list.items[i - 1].bytes >= list.items[i].bytes);
	}
	pm_cgroup_levels_list_deinit(&list);
	pm_process_close(process);
	group_remove(&group);
	if (obstacle)
		skip_because("%s", obstacle);
	assert_int_equal(found, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v2_levels_of_a_process),
		cmocka_unit_test(v2_levels_of_a_folder),
		cmocka_unit_test(other_folders_are_refused),
		cmocka_unit_test(v1_levels),
		cmocka_unit_test(parts_of_a_living_cgroup),
		cmocka_unit_test(all_cgroups_are_listed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
