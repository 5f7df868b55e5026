/* SPDX-License-Identifier: MIT */
/* The cgroup of a process in saved trees of v1, of v2, of both, and in a cgroup namespace. */
#include <procmem/process_cgroup.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/tree.h"

/** Reads the cgroup of process 12 in a tree with this text in its cgroup file. */
static void read_cgroup(const char *text, struct pm_process_cgroup *cgroup)
{
	char *root = tree_create(), *sys;
	struct pm_error error = { 0 };

	tree_add_process(root, 12, "shop", "Threads:\t1\n");
	if (text)
		tree_write(root, "proc/12/cgroup", "%s", text);

	struct pm_process *process = tree_open_process(root, 12, &sys);

	if (pm_process_cgroup_read(process, cgroup, &error) < 0)
		fail_msg("%s", error.text);
	pm_process_close(process);
	free(sys);
	tree_remove(root);
}

static void check_cgroup(const char *text, int version, const char *path)
{
	struct pm_process_cgroup cgroup = { .version = 7 };

	read_cgroup(text, &cgroup);
	assert_int_equal(cgroup.version, version);
	if (path)
		assert_string_equal(cgroup.path, path);
	else
		assert_null(cgroup.path);
	pm_process_cgroup_deinit(&cgroup);
	assert_null(cgroup.path);
}

static void versions(void **state)
{
	(void)state;
	check_cgroup("0::/shop/web\n", 2, "/shop/web");
	check_cgroup("9:cpu,memory:/one\n1:name=systemd:/two\n0::/three\n", 1, "/one");
	/* The memory controller is in v2. */
	check_cgroup("3:pids:/one\n1:name=systemd:/two\n0::/three\n", 2, "/three");
	check_cgroup("0::/../web\n", 2, "/../web");
	check_cgroup("0::/a:b c\n", 2, "/a:b c");
}

static void no_cgroup(void **state)
{
	(void)state;
	check_cgroup(NULL, 0, NULL);
	check_cgroup("", 0, NULL);
	check_cgroup("3:pids:/one\n", 0, NULL);
	check_cgroup("nonsense\n0:\n0::\n", 0, NULL);
}

static void path_below_the_mount(void **state)
{
	(void)state;
	char *root = tree_create(), *sys, *path = NULL;

	tree_add_process(root, 12, "shop", "Threads:\t1\n");
	tree_write(root, "proc/12/cgroup", "0::/host/shop/web\n");
	tree_write(root, "proc/self/mountinfo",
	           "30 1 0:26 /host /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	tree_write(root, "sys/fs/cgroup/shop/web/cgroup.procs", "12\n");

	struct pm_process *process = tree_open_process(root, 12, &sys);

	assert_int_equal(pm_process_cgroup_visible(process, sys, &path, NULL), 0);
	assert_string_equal(path, "/shop/web");
	free(path);

	/* No mount shows the cgroup. */
	tree_write(root, "proc/12/cgroup", "0::/elsewhere\n");
	path = "unchanged";
	assert_int_equal(pm_process_cgroup_visible(process, sys, &path, NULL), 0);
	assert_null(path);

	pm_process_close(process);
	free(sys);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),
		cmocka_unit_test(no_cgroup),
		cmocka_unit_test(path_below_the_mount),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
