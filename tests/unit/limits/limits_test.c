/* SPDX-License-Identifier: MIT */
/* Limits of cgroups: saved trees of both versions, and a group of our own where we may make one. */
#include <procmem/limits.h>

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/child.h"
#include "support/group.h"
#include "support/target.h"
#include "support/tree.h"

#define MIB (UINT64_C(1) << 20)

static const char v2_mount[] =
	"31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
static const char v1_mount[] = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
			       "34 31 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
			       "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

/** A saved machine with one process. */
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

/**
 * Writes the files of a v2 group.
 * @param max text of memory.max, NULL for none
 */
static void group_v2(struct machine *machine, const char *folder, const char *max, uint64_t current)
{
	char path[4096];
	snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.max", folder);
	if (max)
		tree_write(machine->root, path, "%s\n", max);
	snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.current", folder);
	tree_write(machine->root, path, "%" PRIu64 "\n", current);
}

static void group_v1(struct machine *machine, const char *folder, uint64_t max, uint64_t current)
{
	char path[4096];
	snprintf(path, sizeof path, "sys/fs/cgroup/memory%s/memory.limit_in_bytes", folder);
	tree_write(machine->root, path, "%" PRIu64 "\n", max);
	snprintf(path, sizeof path, "sys/fs/cgroup/memory%s/memory.usage_in_bytes", folder);
	tree_write(machine->root, path, "%" PRIu64 "\n", current);
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

static void v2_limit_of_an_ancestor(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/shop/web/worker\n", v2_mount);
	group_v2(machine, "/shop/web/worker", "max", 100);
	group_v2(machine, "/shop/web", "max", 200);
	group_v2(machine, "/shop", "3221225472", 2000);
	expect(machine, 2, 3072 * MIB, 2000, "/shop");

	/* A larger one nearer by does not matter, a smaller one does. */
	group_v2(machine, "/shop/web", "4294967296", 200);
	expect(machine, 2, 3072 * MIB, 2000, "/shop");
	group_v2(machine, "/shop/web/worker", "1048576", 100);
	expect(machine, 2, MIB, 100, "/shop/web/worker");
}

static void v2_equal_limits(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/shop/web\n", v2_mount);
	group_v2(machine, "/shop/web", "1048576", 100);
	group_v2(machine, "/shop", "1048576", 200);
	expect(machine, 2, MIB, 100, "/shop/web");
}

static void v2_without_limit(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/shop\n", v2_mount);
	expect_none(machine);
	group_v2(machine, "/shop", "max", 100);
	expect_none(machine);
	place(machine, "0::/\n", v2_mount);
	expect_none(machine);
}

static void v2_zero_is_a_limit(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/shop\n", v2_mount);
	group_v2(machine, "/shop", "0", 4096);
	expect(machine, 2, 0, 4096, "/shop");
}

static void v1_limit(void **state)
{
	struct machine *machine = *state;
	place(machine, "5:cpu:/else\n4:memory:/shop/web\n1:name=systemd:/x\n", v1_mount);
	group_v1(machine, "", UINT64_C(0x7ffffffffffff000), 9000);
	group_v1(machine, "/shop", 512 * MIB, 2000);
	group_v1(machine, "/shop/web", UINT64_C(0x7ffffffffffff000), 1000);
	expect(machine, 1, 512 * MIB, 2000, "/shop");
	group_v1(machine, "", 256 * MIB, 9000);
	expect(machine, 1, 256 * MIB, 9000, "/");
}

static void v1_numbers_that_mean_no_limit(void **state)
{
	struct machine *machine = *state;
	place(machine, "4:memory:/shop\n", v1_mount);

	/* Pages of 4 KiB, of 64 KiB, kernels before 3.19. */
	static const uint64_t numbers[] = { UINT64_C(0x7ffffffffffff000),
		                            UINT64_C(0x7fffffffffff0000),
		                            UINT64_C(0x7fffffffffffffff) };

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		group_v1(machine, "/shop", numbers[i], 1000);
		expect_none(machine);
	}

	group_v1(machine, "/shop", UINT64_C(0x7ffffffffffe0000), 1000);
	expect(machine, 1, UINT64_C(0x7ffffffffffe0000), 1000, "/shop");
}

static void v1_groups_that_do_not_count_above(void **state)
{
	struct machine *machine = *state;
	place(machine, "4:memory:/shop/web\n", v1_mount);
	group_v1(machine, "/shop", 512 * MIB, 2000);
	tree_write(machine->root, "sys/fs/cgroup/memory/shop/memory.use_hierarchy", "0\n");
	expect_none(machine);
	tree_write(machine->root, "sys/fs/cgroup/memory/shop/memory.use_hierarchy", "1\n");
	expect(machine, 1, 512 * MIB, 2000, "/shop");
}

static void mixed_systems_count_by_v1(void **state)
{
	struct machine *machine = *state;
	char mounts[1024];
	snprintf(mounts, sizeof mounts,
	         "%s36 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", v1_mount);
	place(machine, "4:memory:/a\n0::/b\n", mounts);
	group_v1(machine, "/a", 64 * MIB, 1000);
	tree_write(machine->root, "sys/fs/cgroup/unified/b/memory.max", "1048576\n");
	tree_write(machine->root, "sys/fs/cgroup/unified/b/memory.current", "0\n");
	expect(machine, 1, 64 * MIB, 1000, "/a");

	/* v1 without memory: then v2 has it. */
	place(machine, "1:name=systemd:/a\n0::/b\n", mounts);
	expect(machine, 2, MIB, 0, "/b");
}

static void controllers_mounted_together(void **state)
{
	struct machine *machine = *state;
	place(machine, "4:hugetlb,memory:/a\n",
	      "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,hugetlb,memory\n");
	group_v1(machine, "/a", 64 * MIB, 1000);
	expect(machine, 1, 64 * MIB, 1000, "/a");

	/* Names that only contain the word do not count. */
	place(machine, "4:mymemory,memory2:/a\n", NULL);
	expect_none(machine);
}

static void group_with_a_colon(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/a:b/c d\n", v2_mount);
	group_v2(machine, "/a:b/c d", "1048576", 100);
	expect(machine, 2, MIB, 100, "/a:b/c d");
}

static void container_that_sees_its_own_part(void **state)
{
	struct machine *machine = *state;
	place(machine, "4:memory:/docker/abc/x\n",
	      "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	group_v1(machine, "/x", UINT64_C(0x7ffffffffffff000), 1000);
	group_v1(machine, "", 64 * MIB, 2000);
	expect(machine, 1, 64 * MIB, 2000, "/");

	/* A process of another container. */
	place(machine, "4:memory:/docker/abcdef/x\n", NULL);
	expect_none(machine);
	place(machine, "4:memory:/docker/abc\n", NULL);
	expect(machine, 1, 64 * MIB, 2000, "/");
}

static void mount_that_shows_most_is_taken(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/pod/abc\n",
	      "35 31 0:32 /pod/abc /sys/own rw - cgroup2 cgroup2 rw\n"
	      "36 31 0:32 / /sys/all rw - cgroup2 cgroup2 rw\n"
	      "37 31 0:32 /pod /sys/pod rw - cgroup2 cgroup2 rw\n");
	tree_write(machine->root, "sys/own/memory.max", "max\n");
	tree_write(machine->root, "sys/pod/abc/memory.max", "max\n");
	tree_write(machine->root, "sys/all/pod/memory.max", "1048576\n");
	tree_write(machine->root, "sys/all/pod/memory.current", "0\n");

	expect(machine, 2, MIB, 0, "/pod");
}

/** A group that is being removed: its limit can still be read, but not its usage. */
static void group_without_usage_is_ignored(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/pod/web\n", v2_mount);
	group_v2(machine, "/pod", "2097152", 100);
	tree_write(machine->root, "sys/fs/cgroup/pod/web/memory.max", "1048576\n");
	expect(machine, 2, 2 * MIB, 100, "/pod");
}

static void group_outside_of_our_namespace(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/../../host\n", v2_mount);
	group_v2(machine, "", "1048576", 100);
	group_v2(machine, "/host", "1048576", 100);
	expect_none(machine);

	/* A mount of the host's groups, as in a debugging container. */
	place(machine, "0::/../../host\n", "31 23 0:28 /../.. /sys/host rw - cgroup2 cgroup2 rw\n");
	tree_write(machine->root, "sys/host/host/memory.max", "2097152\n");
	tree_write(machine->root, "sys/host/host/memory.current", "0\n");
	expect(machine, 2, 2 * MIB, 0, "/host");
	place(machine, "0::/../../../host\n", NULL);
	expect_none(machine);
}

static void conventional_places(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/shop\n", NULL);
	group_v2(machine, "/shop", "1048576", 100);
	expect(machine, 2, MIB, 100, "/shop");
	tree_write(machine->root, "sys/fs/cgroup/unified/shop/memory.max", "2097152\n");
	tree_write(machine->root, "sys/fs/cgroup/unified/shop/memory.current", "0\n");
	expect(machine, 2, 2 * MIB, 0, "/shop");
	place(machine, "4:memory:/shop\n0::/\n", NULL);
	group_v1(machine, "/shop", 64 * MIB, 1000);

	expect(machine, 1, 64 * MIB, 1000, "/shop");
	place(machine, "0::/../shop\n", NULL);
	expect_none(machine);

	/* There is a mountinfo, but no such mount: then there is none. */
	place(machine, "0::/shop\n", "21 1 254:0 / / rw - ext4 /dev/root rw\n");
	expect_none(machine);
}

static void mount_point_with_blanks(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/shop\n",
	      "31 23 0:28 / /sys/my\\040groups rw shared:7 - cgroup2 none rw\n");
	tree_write(machine->root, "sys/my groups/shop/memory.max", "1048576\n");
	tree_write(machine->root, "sys/my groups/shop/memory.current", "0\n");
	expect(machine, 2, MIB, 0, "/shop");
}

static void mounts_outside_of_sys(void **state)
{
	struct machine *machine = *state;
	char mounts[4096];
	snprintf(mounts, sizeof mounts, "31 23 0:28 / %s/elsewhere rw - cgroup2 cgroup2 rw\n",
	         machine->root);
	place(machine, "0::/shop\n", mounts);
	tree_write(machine->root, "elsewhere/shop/memory.max", "1048576\n");
	tree_write(machine->root, "elsewhere/shop/memory.current", "0\n");
	expect_none(machine);

	char *sys;
	struct pm_process *process = tree_open_process(machine->root, 12, &sys);
	assert_int_equal(pm_cgroup_limit_read(process, NULL, &machine->limit, NULL), 0);
	assert_int_equal(machine->limit.max, MIB);
	pm_process_close(process);
	free(sys);
}

static void removed_group(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/shop/web (deleted)\n", v2_mount);
	group_v2(machine, "/shop", "1048576", 100);
	expect(machine, 2, MIB, 100, "/shop");
}

static void nothing_to_read(void **state)
{
	struct machine *machine = *state;
	tree_write(machine->root, "proc/self/mountinfo", "%s", v2_mount);
	expect_none(machine);

	static const char *const texts[] = { "",           "0::\n", "0::shop\n", "nonsense\n",
		                             "4:cpu:/a\n", ":::\n", "0:" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		place(machine, texts[i], NULL);
		expect_none(machine);
	}

	place(machine, "0::/shop\n", "nonsense\n- - - -\n31 23 0:28 / /sys/fs/cgroup\n");
	expect_none(machine);
}

static void nonsense_for_numbers(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/shop\n", v2_mount);

	static const char *const texts[] = { "", "-1", "lots", "99999999999999999999999" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		group_v2(machine, "/shop", texts[i], 100);
		expect_none(machine);
	}
}

static void failing_file(void **state)
{
	struct machine *machine = *state;
	place(machine, "0::/shop\n", v2_mount);
	tree_write(machine->root, "sys/fs/cgroup/shop/memory.max/is_a_folder", "x");
	memset(&machine->limit, 7, sizeof machine->limit);
	assert_int_equal(read_limit(machine), -1);
	assert_int_equal(machine->error.kind, PM_ERROR_IO);
	assert_non_null(strstr(machine->error.text, "memory.max: Is a directory"));
	assert_int_equal(machine->limit.version, 0x07070707);
}

static void long_group_keeps_its_end(void **state)
{
	struct machine *machine = *state;

	enum { DEPTH = 12, NAME = 100 };
	char path[DEPTH * (NAME + 1) + 1] = "", name[NAME + 1], line[sizeof path + 8];
	for (int i = 0; i < DEPTH; i++) {
		memset(name, 'a' + i, NAME);
		name[NAME] = '\0';
		strcat(strcat(path, "/"), name);
	}

	snprintf(line, sizeof line, "0::%s\n", path);
	place(machine, line, v2_mount);
	group_v2(machine, path, "1048576", 100);
	assert_int_equal(read_limit(machine), 0);

	size_t length = strlen(machine->limit.group);
	assert_int_equal(length, sizeof machine->limit.group - 1);
	assert_memory_equal(machine->limit.group, "...", 3);
	assert_string_equal(machine->limit.group + 3, path + strlen(path) - (length - 3));
}

static void living_process(void **state)
{
	(void)state;
	struct group group;
	struct pm_process *process;
	pid_t child = child_start("limited", NULL);
	const char *obstacle = group_make(&group, 96 * MIB);

	if (!obstacle)
		obstacle = group_add(&group, child);
	assert_int_equal(pm_process_open(NULL, child, &process, NULL), 0);

	struct pm_cgroup_limit limit = { 0 };
	int result = obstacle ? 0 : pm_cgroup_limit_read(process, NULL, &limit, NULL);
	const struct group made = group;
	pm_process_close(process);
	child_stop(child);
	group_remove(&group);
	if (obstacle)
		skip_because("%s", obstacle);

	assert_int_equal(result, 0);
	assert_true(limit.limited);
	assert_int_equal(limit.version, made.version);
	assert_int_equal(limit.max, 96 * MIB);
	assert_string_equal(limit.group, made.path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(v2_limit_of_an_ancestor),
		TEST(v2_equal_limits),
		TEST(v2_without_limit),
		TEST(v2_zero_is_a_limit),
		TEST(v1_limit),
		TEST(v1_numbers_that_mean_no_limit),
		TEST(v1_groups_that_do_not_count_above),
		TEST(mixed_systems_count_by_v1),
		TEST(controllers_mounted_together),
		TEST(group_with_a_colon),
		TEST(container_that_sees_its_own_part),
		TEST(mount_that_shows_most_is_taken),
		TEST(group_without_usage_is_ignored),
		TEST(group_outside_of_our_namespace),
		TEST(conventional_places),
		TEST(mount_point_with_blanks),
		TEST(mounts_outside_of_sys),
		TEST(removed_group),
		TEST(nothing_to_read),
		TEST(nonsense_for_numbers),
		TEST(failing_file),
		TEST(long_group_keeps_its_end),
		cmocka_unit_test(living_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
