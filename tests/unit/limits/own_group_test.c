/* SPDX-License-Identifier: MIT */
/* The directory of the own cgroup in saved trees, in which this process is in a cgroup namespace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include <procmem/limits.h>

#include "support/tree.h"

#define MIB (UINT64_C(1) << 20)

struct machine {
	char *root;
	struct pm_cgroup_limit limit;
	struct pm_error error;
};

static int set_up(void **state)
{
	struct machine *machine = calloc(1, sizeof *machine);
	if (!machine)
		return -1;

	machine->root = tree_create();
	tree_add_process(machine->root, 12, "shop", "Threads:\t1\n");
	*state = machine;
	return 0;
}

static int tear_down(void **state)
{
	struct machine *machine = *state;
	tree_remove(machine->root);
	free(machine);
	return 0;
}

static void place(struct machine *machine, const char *cgroup, const char *mountinfo)
{
	tree_write(machine->root, "proc/12/cgroup", "%s", cgroup);
	if (mountinfo)
		tree_write(machine->root, "proc/self/mountinfo", "%s", mountinfo);
}

/** Writes a file that lists `count` PIDs from `first` on. */
static void write_pids(const char *root, const char *path, int first, int count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);

	for (int i = 0; i < count; i++)
		fprintf(file, "%d\n", first + i);

	assert_int_equal(fclose(file), 0);
	tree_write(root, path, "%s", text);
	free(text);
}

static void rename_in_tree(const char *root, const char *from, const char *to)
{
	char before[4096], after[4096];

	snprintf(before, sizeof before, "%s/%s", root, from);
	snprintf(after, sizeof after, "%s/%s", root, to);
	assert_int_equal(rename(before, after), 0);
}

static int read_limit(struct machine *machine)
{
	char *sys;
	struct pm_process *process = tree_open_process(machine->root, 12, &sys);
	int result = pm_cgroup_limit_read(process, sys, &machine->limit, &machine->error);
	pm_process_close(process);
	free(sys);
	return result;
}

static void expect(struct machine *machine, int version, uint64_t max, uint64_t current,
                   const char *group)
{
	if (read_limit(machine) < 0)
		fail_msg("%s", machine->error.text);
	assert_true(machine->limit.limited);
	assert_int_equal(machine->limit.version, version);
	assert_int_equal(machine->limit.max, max);
	assert_int_equal(machine->limit.current, current);
	assert_string_equal(machine->limit.group, group);
}

static void expect_none(struct machine *machine)
{
	if (read_limit(machine) < 0)
		fail_msg("%s", machine->error.text);
	assert_false(machine->limit.limited);
	assert_int_equal(machine->limit.max, 0);
	assert_string_equal(machine->limit.group, "");
}

/**
 * This process is in the cgroup namespace of /machine/box/own and sees all cgroups of the host, as
 * a container with a mount of the host's /sys/fs/cgroup does.
 */
static void names_above_our_namespace_are_found(void **state)
{
	struct machine *machine = *state;
	const char *root = machine->root;
	place(machine, "0::/../web\n", "31 23 0:28 /../.. /sys/host rw - cgroup2 cgroup2 rw\n");
	tree_write(root, "proc/self/stat", "77 (procmem) R 1\n");
	tree_write(root, "proc/self/cgroup", "0::/own\n");
	tree_write(root, "sys/host/other/box/own/cgroup.procs", "7\n770\n");
	tree_write(root, "sys/host/machine/box/cgroup.procs", "\n");
	tree_write(root, "sys/host/machine/box/own/cgroup.procs", "12\n77\n");
	tree_write(root, "sys/host/machine/web/memory.max", "1048576\n");
	tree_write(root, "sys/host/machine/web/memory.current", "0\n");
	tree_write(root, "sys/host/web/memory.max", "4096\n");
	tree_write(root, "sys/host/web/memory.current", "0\n");
	tree_write(root, "sys/host/machine/box/shop/memory.max", "2097152\n");
	tree_write(root, "sys/host/machine/box/shop/memory.current", "0\n");
	tree_write(root, "sys/host/machine/box/memory.max", "4194304\n");
	tree_write(root, "sys/host/machine/box/memory.current", "0\n");
	expect(machine, 2, MIB, 0, "/machine/web");

	/* Below the root of the namespace, and the root itself. */
	place(machine, "0::/shop\n", NULL);
	expect(machine, 2, 2 * MIB, 0, "/machine/box/shop");
	place(machine, "0::/\n", NULL);
	expect(machine, 2, 4 * MIB, 0, "/machine/box");
	place(machine, "0::/../..\n", NULL);
	expect_none(machine);

	/* This process was moved out of its namespace: the name of its root is not known. */
	tree_write(root, "proc/self/cgroup", "0::/../own\n");
	tree_write(root, "sys/host/machine/own/cgroup.procs", "77\n");
	tree_write(root, "sys/host/machine/box/own/cgroup.procs", "12\n");
	place(machine, "0::/../web\n", NULL);
	expect(machine, 2, MIB, 0, "/machine/web");
	place(machine, "0::/shop\n", NULL);
	expect_none(machine);

	/* A list of PIDs that is read in several parts. */
	write_pids(root, "sys/host/machine/own/cgroup.procs", 100000, 30000);
	expect_none(machine);
	place(machine, "0::/../web\n", NULL);
	expect_none(machine);
	tree_write(root, "proc/self/stat", "129999 (procmem) R 1\n");
	expect(machine, 2, MIB, 0, "/machine/web");
	tree_write(root, "proc/self/stat", "29999 (procmem) R 1\n");
	expect_none(machine);
	tree_write(root, "sys/host/machine/own/cgroup.procs", "77\n");

	/* This process is not found. */
	tree_write(root, "proc/self/stat", "78 (procmem) R 1\n");
	place(machine, "0::/../web\n", NULL);
	expect_none(machine);
}

/** Reads the limit of an open process, and expects a cgroup; NULL: none. */
static void expect_again(struct machine *machine, struct pm_process *process, const char *sys,
                         const char *group)
{
	if (pm_cgroup_limit_read(process, sys, &machine->limit, &machine->error) < 0)
		fail_msg("%s", machine->error.text);

	assert_int_equal(machine->limit.limited, group != NULL);
	assert_string_equal(machine->limit.group, group ? group : "");
}

/** The directories are searched once, and again if this process is in another cgroup. */
static void own_group_is_searched_once(void **state)
{
	struct machine *machine = *state;
	const char *root = machine->root;
	char *sys;

	place(machine, "0::/../web\n", "31 23 0:28 /../.. /sys/host rw - cgroup2 cgroup2 rw\n");
	tree_write(root, "proc/self/stat", "77 (procmem) R 1\n");
	tree_write(root, "proc/self/cgroup", "0::/own\n");
	tree_write(root, "sys/host/machine/box/own/cgroup.procs", "77\n");
	tree_write(root, "sys/host/machine/web/memory.max", "1048576\n");
	tree_write(root, "sys/host/machine/web/memory.current", "0\n");
	tree_write(root, "sys/host/other/web/memory.max", "2097152\n");
	tree_write(root, "sys/host/other/web/memory.current", "0\n");

	struct pm_process *process = tree_open_process(root, 12, &sys);
	expect_again(machine, process, sys, "/machine/web");

	/* A further search would find this directory. The kernel does not move a process without a
	 * change of its path. */
	tree_write(root, "sys/host/machine/box/own/cgroup.procs", "\n");
	tree_write(root, "sys/host/other/box/own/cgroup.procs", "77\n");
	expect_again(machine, process, sys, "/machine/web");

	/* This process was moved. */
	tree_write(root, "proc/self/cgroup", "0::/new\n");
	tree_write(root, "sys/host/other/box/new/cgroup.procs", "77\n");
	expect_again(machine, process, sys, "/other/web");

	/* A search without a result is not repeated either. */
	tree_write(root, "proc/self/cgroup", "0::/third\n");
	expect_again(machine, process, sys, NULL);
	tree_write(root, "sys/host/other/box/third/cgroup.procs", "77\n");
	expect_again(machine, process, sys, NULL);

	/* After fork(2), this process is another. */
	tree_write(root, "proc/self/stat", "78 (procmem) R 1\n");
	tree_write(root, "sys/host/machine/box/third/cgroup.procs", "78\n");
	expect_again(machine, process, sys, "/machine/web");

	/* The directory that was found was renamed, which v1 permits. */
	rename_in_tree(root, "sys/host/machine", "sys/host/renamed");
	expect_again(machine, process, sys, "/renamed/web");

	pm_process_close(process);
	free(sys);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_above_our_namespace_are_found),
		TEST(own_group_is_searched_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
