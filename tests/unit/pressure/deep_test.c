/* SPDX-License-Identifier: MIT */
/* The rates of cgroups that are so deep that their names are cut to the same text. */
#include <procmem/pressure.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/target.h"
#include "support/tree.h"

enum { DEPTH = 6, PART = 250, PATH_SIZE = DEPTH * (PART + 1) + 1 };

/** Writes how often the limit of the two innermost cgroups was reached. */
static void write_hits(const char *root, const char *path, unsigned outer, unsigned inner)
{
	char file[PATH_SIZE + 64];

	snprintf(file, sizeof file, "sys/fs/cgroup%s/memory.events", path);
	tree_write(root, file, "max %u\n", inner);
	snprintf(file, sizeof file, "sys/fs/cgroup%.*s/memory.events", (DEPTH - 1) * (PART + 1),
	         path);
	tree_write(root, file, "max %u\n", outer);
}

static void equal_names(void **state)
{
	(void)state;
	struct pm_pressure_reading before, after;
	struct pm_pressure_change change;
	struct pm_pressure_source *source;
	struct pm_error error = { 0 };
	char path[PATH_SIZE], *root = tree_create(), *sys;

	memset(path, 'a', sizeof path);
	for (size_t i = 0; i <= DEPTH; i++)
		path[i * (PART + 1)] = i < DEPTH ? '/' : '\0';
	tree_add_process(root, 12, "shop", "VmRSS:\t 4 kB\n");
	tree_write(root, "proc/12/cgroup", "0::%s\n", path);
	write_hits(root, path, 100, 200);
	struct pm_process *process = tree_open_process(root, 12, &sys);

	must(pm_pressure_open(process, NULL, sys, &source, &error), &error);
	must(pm_pressure_read(source, &before, &error), &error);
	write_hits(root, path, 103, 207);
	must(pm_pressure_read(source, &after, &error), &error);
	must(pm_pressure_compare(&before, &after, &change, &error), &error);

	assert_string_equal(after.levels[1].name, after.levels[2].name);
	assert_int_equal(change.rises[1].rises[PM_PRESSURE_MAX_HITS], 7);
	assert_int_equal(change.rises[2].rises[PM_PRESSURE_MAX_HITS], 3);

	pm_pressure_change_deinit(&change);
	pm_pressure_deinit(&before);
	pm_pressure_deinit(&after);
	pm_pressure_close(source);
	pm_process_close(process);
	tree_remove(root);
	free(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
