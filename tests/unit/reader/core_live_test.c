/* SPDX-License-Identifier: MIT */
/* Core files of the target `markers`, written by the kernel and by gcore of gdb. */
#include <procmem/core.h>
#include <procmem/unit_read.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/markers.h"
#include "support/tree.h"

enum {
	ALL_MAPPINGS = 0x7f
}; /* coredump_filter, core(5): private and shared, anonymous, file-backed and huge pages */

/** Returns the number of lines of maps with files, each of which must be in NT_FILE. */
static size_t count_files(const char *maps)
{
	size_t files = 0;
	for (const char *at = maps; (at = strstr(at, " /")); at++)
		files++;
	assert_true(files > 10);
	return files;
}

/**
 * Finds all markers in a core file, and checks that it has a region for every file in maps.
 * @param lost  regions whose content the writer of the core file is known to lose, separated by
 * spaces
 */
static void expect_all_in(const char *path, const struct target *target, const char *maps,
                          const char *lost)
{
	static struct pm_unit unit;
	static char buffer[PM_UNIT_SIZE];
	struct markers markers;
	struct pm_core *core;
	struct pm_regions regions;
	struct pm_plan *plan;
	struct pm_error error;
	assert_true(pm_core_is_one(path));
	if (pm_core_open(path, &core, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(pm_core_info(core)->pid, target->pid);
	assert_int_equal(pm_core_info(core)->threads, 1);
	assert_string_equal(pm_core_info(core)->comm, "markers");

	pm_regions_init(&regions);
	assert_int_equal(pm_core_regions(core, &regions, &error), 0);
	size_t named = 0;
	for (size_t i = 0; i < regions.count; i++) {
		char line[64];
		snprintf(line, sizeof line, "%llx-%llx ",
		         (unsigned long long)regions.items[i].start,
		         (unsigned long long)regions.items[i].end);
		const char *at = strstr(maps, line), *name = regions.items[i].mapping;
		if (!at || name[0] != '/')
			continue;
		const char *end = strchr(at, '\n'), *slash = strchr(at, '/');
		assert_true(slash && slash < end);
		assert_memory_equal(slash, name, strlen(name));
		named++;
	}
	assert_int_equal(named, count_files(maps));

	markers_take(&markers, target, "marker");
	struct pm_reader reader = pm_core_reader(core);
	const struct pm_unit_source source = { .target = &reader };
	struct pm_page_source pages = pm_core_source(core);
	const struct pm_plan_options options = { .pages = &pages };
	assert_int_equal(pm_plan_open(&regions, NULL, 0, &options, &plan, &error), 0);
	int more;
	while ((more = pm_plan_next(plan, &unit, &error)) > 0) {
		assert_int_equal(pm_unit_read(&source, &unit, buffer, &error), 0);
		const char *at = buffer;
		for (size_t i = 0; i < unit.count; i++) {
			if (!unit.segments[i].wanted)
				continue;
			markers_feed(&markers, unit.segments[i].start, at,
			             unit.segments[i].end - unit.segments[i].start);
			at += unit.segments[i].end - unit.segments[i].start;
		}
	}
	assert_int_equal(more, 0);
	for (size_t i = 0; i < markers.count; i++)
		if (strstr(lost, markers.items[i].region))
			memcpy(markers.items[i].seen, markers.items[i].text, MARKER_TEXT);
	markers_expect_all(&markers);
	markers_drop(&markers);
	pm_plan_close(plan);
	pm_regions_deinit(&regions);
	pm_core_close(core);
}

static char *maps_of(const struct target *target)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/maps", (int)target->pid);
	return read_text(path, NULL);
}

static void the_kernels_core_is_read(void **state)
{
	(void)state;
	char *pattern = read_text("/proc/sys/kernel/core_pattern", NULL);
	bool plain = strcmp(pattern, "core\n") == 0;
	free(pattern);
	if (!plain)
		skip_because("the kernel writes core files elsewhere (core_pattern)");

	char *folder = tree_create(), *before = getcwd(NULL, 0), path[4200];
	struct target target;
	assert_non_null(before);
	assert_int_equal(chdir(folder), 0);
	target_start(&target, "markers", "small", NULL);
	assert_int_equal(chdir(before), 0);
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	if (prlimit(target.pid, RLIMIT_CORE, &unlimited, NULL) < 0)
		skip_because("the hard limit of core files is too low");
	snprintf(path, sizeof path, "/proc/%d/coredump_filter", (int)target.pid);
	FILE *filter = fopen(path, "we");
	assert_non_null(filter);
	fprintf(filter, "%d\n", ALL_MAPPINGS);
	assert_int_equal(fclose(filter), 0);
	char *maps = maps_of(&target);
	kill(target.pid, SIGSEGV);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)target.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(info.si_code, CLD_DUMPED);

	snprintf(path, sizeof path, "%s/core", folder);
	if (access(path, R_OK) < 0)
		snprintf(path, sizeof path, "%s/core.%d", folder, (int)target.pid);
	expect_all_in(path, &target, maps, "");
	free(maps);
	free(before);
	target_stop(&target);
	tree_remove(folder);
}

static void core_of_gcore_is_read(void **state)
{
	(void)state;
	char *folder = tree_create(), prefix[4200], path[4300], pid[16];
	struct target target, gcore;
	target_start(&target, "markers", "small", NULL);

	char *maps = maps_of(&target);
	snprintf(pid, sizeof pid, "%d", (int)target.pid);
	snprintf(prefix, sizeof prefix, "%s/gcore", folder);
	program_start(&gcore, "gcore", "-a", "-o", prefix, pid, NULL);
	free(target_await(&gcore, "Saved corefile"));
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)gcore.pid, &info, WEXITED | WNOWAIT), 0);
	target_stop(&gcore);

	snprintf(path, sizeof path, "%s.%s", prefix, pid);
	/* gdb 13 drops a whole region if one of its pages cannot be read. */
	expect_all_in(path, &target, maps, "short guarded uffd");
	free(maps);
	target_stop(&target);
	tree_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_core_is_read),
		cmocka_unit_test(core_of_gcore_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
