/* SPDX-License-Identifier: MIT */
/* Mappings with deceptive names, and memory that goes away during a read. */
#include <procmem/maps.h>

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <procmem/pagemap.h>
#include <procmem/process.h>

#include "support/child.h"
#include "support/target.h"
#include "support/tree.h"

static const enum pm_maps_source sources[] = { PM_MAPS, PM_SMAPS };
static const enum pm_pagemap_method methods[] = { PM_PAGEMAP_SCAN, PM_PAGEMAP_READ };

/** Maps the first page of a new file into the test and so into its children. */
static void *map_file(int folder, const char *path)
{
	int fd = openat(folder, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);

	void *memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	close(fd);
	return memory;
}

/** Reads the regions of a child of the test, and finds the one at an address. */
static const struct pm_region *find_in_child(enum pm_maps_source source, const void *memory,
                                             struct pm_regions *regions)
{
	pid_t child = child_start("mapper", NULL);
	struct pm_process *process = open_process(child);
	struct pm_error error = { 0 };

	pm_regions_init(regions);
	int result = pm_maps_read(process, source, regions, &error);
	pm_process_close(process);
	child_stop(child);
	if (result < 0)
		fail_msg("%s", error.text);

	const struct pm_region *region = pm_regions_find(regions, (uint64_t)(uintptr_t)memory);
	assert_non_null(region);
	assert_int_equal(region->start, (uintptr_t)memory);
	assert_int_equal(region->end, (uintptr_t)memory + 4096);

	return region;
}

static void expect_name(const void *memory, const char *path, bool deleted)
{
	for (size_t i = 0; i < 2; i++) {
		struct pm_regions regions;
		const struct pm_region *region = find_in_child(sources[i], memory, &regions);
		assert_string_equal(region->mapping, path);
		assert_int_equal(region->deleted, deleted);
		pm_regions_deinit(&regions);
	}
}

static void names_that_end_in_deleted(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool removed;
		const char *beside; /* another file that exists then, or NULL */
	} cases[] = {
		{ "here", false, NULL },
		{ "here (deleted)", false, NULL },
		{ "here (deleted) (deleted)", false, NULL },
		{ "gone", true, NULL },
		{ "gone (deleted)", true, NULL },
		{ "gone", true, "gone (deleted)" },
		{ "gone", true, "gone" },
		{ " (deleted)", false, NULL },
		{ " (deleted)", true, NULL },
		{ "(deleted)", true, NULL },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *folder = tree_create(), path[512];
		snprintf(path, sizeof path, "%s/%s", folder, cases[i].name);
		void *memory = map_file(AT_FDCWD, path);
		if (cases[i].removed)
			assert_int_equal(unlink(path), 0);
		if (cases[i].beside)
			tree_write(folder, cases[i].beside, "x");
		expect_name(memory, path, cases[i].removed);
		munmap(memory, 4096);
		tree_remove(folder);
	}
}

static void names_of_any_bytes(void **state)
{
	(void)state;
	static const char *const names[] = {
		"two\nlines",
		"\n",
		"\n\n (deleted)\n",
		" blank",
		"blank ",
		"  ",
		"\033[31m",
		"\xff\xfe",
		"[heap]",
		"tab\there",
		"\n7f0000000000-7f0000001000 rwxp 00000000 00:00 0 ",
		"\nVmFlags: rd",
		"Rss: 4 kB",
		"back\\slash",
		"\\",
		"\\01",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *folder = tree_create(), path[512];
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		void *memory = map_file(AT_FDCWD, path);
		expect_name(memory, path, false);
		assert_int_equal(unlink(path), 0);
		expect_name(memory, path, true);
		munmap(memory, 4096);
		tree_remove(folder);
	}
}

/** Nested folders with the same name. */
struct nest {
	char *root;
	int depth;
	char name[NAME_MAX + 1];
	int bottom; /* the innermost one */
};

static void nest_create(struct nest *nest, int depth, char letter)
{
	nest->root = tree_create();
	nest->depth = depth;
	memset(nest->name, letter, sizeof nest->name - 1);
	nest->name[sizeof nest->name - 1] = '\0';
	nest->bottom = open(nest->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < depth; i++) {
		assert_int_equal(mkdirat(nest->bottom, nest->name, 0700), 0);
		int inner = openat(nest->bottom, nest->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(inner >= 0);
		close(nest->bottom);
		nest->bottom = inner;
	}
}

static void nest_remove(struct nest *nest)
{
	for (int i = 0; i < nest->depth; i++) {
		int outer = openat(nest->bottom, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(outer >= 0);
		assert_int_equal(unlinkat(outer, nest->name, AT_REMOVEDIR), 0);
		close(nest->bottom);
		nest->bottom = outer;
	}

	close(nest->bottom);
	tree_remove(nest->root);
}

/**
 * Returns the path of a file in the innermost folder.
 * @return the caller frees it
 */
static char *nest_path(const struct nest *nest, const char *file)
{
	size_t size = strlen(nest->root) + (size_t)nest->depth * sizeof nest->name + strlen(file) +
	              2;
	char *path = malloc(size), *at = stpcpy(path, nest->root);

	for (int i = 0; i < nest->depth; i++)
		at = stpcpy(stpcpy(at, "/"), nest->name);

	stpcpy(stpcpy(at, "/"), file);
	return path;
}

/** The longest path that can be used, with bytes that are all escaped as four. */
static void long_path_of_newlines(void **state)
{
	(void)state;
	struct nest nest;
	nest_create(&nest, 15, '\n');

	char *path = nest_path(&nest, "file");
	assert_true(strlen(path) > 3500 && strlen(path) < PATH_MAX);

	void *memory = map_file(nest.bottom, "file");
	expect_name(memory, path, false);
	assert_int_equal(unlinkat(nest.bottom, "file", 0), 0);
	expect_name(memory, path, true);
	munmap(memory, 4096);
	free(path);
	nest_remove(&nest);
}

/**
 * Deeper than any path that can be used: the kernel prints it nevertheless, and the region must
 * not be lost.
 */
static void very_long_path(void **state)
{
	(void)state;
	struct nest nest;
	nest_create(&nest, 600, 'd');

	char *path = nest_path(&nest, "file");
	void *memory = map_file(nest.bottom, "file");
	for (size_t i = 0; i < 2; i++) {
		struct pm_regions regions;
		const struct pm_region *region = find_in_child(sources[i], memory, &regions);
		size_t length = strlen(region->mapping);
		assert_true(length > PATH_MAX && length < strlen(path));
		assert_memory_equal(region->mapping, path, length);
		assert_ptr_not_equal(region, &regions.items[regions.count - 1]);
		pm_regions_deinit(&regions);
	}

	assert_int_equal(unlinkat(nest.bottom, "file", 0), 0);
	munmap(memory, 4096);
	free(path);
	nest_remove(&nest);
}

static void expect_ordered(const struct pm_regions *regions)
{
	for (size_t i = 0; i < regions->count; i++) {
		assert_true(regions->items[i].start < regions->items[i].end);
		assert_true(i == 0 || regions->items[i - 1].end <= regions->items[i].start);
	}
}

/**
 * Starts a process that constantly calls exec.
 * @return its PID
 */
static pid_t start_exec_storm(void)
{
	return child_start("storm",
	                   (char *[]){ "/proc/self/exe", "maps_attack_test", "exec-storm", NULL });
}

static void execs_during_the_listing(void **state)
{
	(void)state;
	pid_t storm = start_exec_storm();
	int whole = 0, gone = 0;
	for (int i = 0; i < 600; i++) {
		struct pm_process *process = open_process(storm);
		struct pm_regions regions;
		struct pm_region first = { .start = 1, .end = 2, .mapping = "was there before" };
		struct pm_error error = { 0 };

		pm_regions_init(&regions);
		assert_int_equal(pm_regions_append(&regions, &first, NULL), 0);
		if (pm_maps_read(process, sources[i % 2], &regions, &error) == 0) {
			expect_ordered(&regions);
			assert_true(regions.count > 1);
			whole++;
		} else {
			if (error.kind != PM_ERROR_GONE)
				fail_msg("kind %d: %s", (int)error.kind, error.text);
			/* An incomplete list leaves no regions. */
			assert_int_equal(regions.count, 1);
			gone++;
		}

		pm_regions_deinit(&regions);
		pm_process_close(process);
	}

	child_stop(storm);
	assert_true(whole > 0);
	assert_true(gone > 0);
}

static int count_pages(void *context, const struct pm_page_run *run)
{
	*(uint64_t *)context += (run->end - run->start) / 4096;
	return 0;
}

/** The page states of a target after an action. */
static void expect_page_states_gone(const char *deed)
{
	for (size_t i = 0; i < 2; i++) {
		struct target target;
		uint64_t start, end, pages = 0;

		target_start(&target, "exiter", NULL);
		target_range(&target, "content", &start, &end);

		struct pm_process *process = open_process(target.pid);
		struct pm_regions regions;
		struct pm_pagemap *pagemap;
		struct pm_error error = { 0 };
		bool exact;

		pm_regions_init(&regions);
		assert_int_equal(pm_maps_read(process, PM_MAPS, &regions, NULL), 0);
		if (pm_pagemap_open(process, methods[i], &pagemap, &error) == 0) {
			assert_int_equal(
				pm_pagemap_walk(pagemap, start, end, count_pages, &pages, NULL), 0);
			assert_int_equal(pages, (end - start) / 4096);

			if (strcmp(deed, "kill") == 0) {
				siginfo_t info;
				kill(target.pid, SIGKILL);
				assert_int_equal(waitid(P_PID, (id_t)target.pid, &info,
				                        WEXITED | WNOWAIT),
				                 0);
			} else {
				fprintf(target.to, "%s\n", deed);
				assert_int_equal(fflush(target.to), 0);
				free(target_await(&target, "ready"));
			}

			assert_int_equal(pm_pagemap_walk(pagemap, start, end, count_pages, &pages,
			                                 &error),
			                 -1);
			assert_int_equal(error.kind, PM_ERROR_GONE);
			error = (struct pm_error){ 0 };
			assert_int_equal(pm_pagemap_measure(pagemap, &regions, &exact, &error), -1);
			assert_int_equal(error.kind, PM_ERROR_GONE);
			pm_pagemap_close(pagemap);
		} else {
			assert_int_equal(error.kind, PM_ERROR_UNSUPPORTED);
		}

		pm_regions_deinit(&regions);
		pm_process_close(process);
		target_stop(&target);
	}
}

static void page_states_after_an_exec(void **state)
{
	(void)state;
	expect_page_states_gone("exec");
}

static void page_states_after_the_end(void **state)
{
	(void)state;
	expect_page_states_gone("kill");
}

static void page_states_of_parts_of_pages(void **state)
{
	(void)state;
	struct target target;
	uint64_t start, end;
	target_start(&target, "exiter", NULL);
	target_range(&target, "content", &start, &end);

	struct pm_process *process = open_process(target.pid);
	for (size_t i = 0; i < 2; i++) {
		struct pm_pagemap *pagemap;
		if (pm_pagemap_open(process, methods[i], &pagemap, NULL) < 0)
			continue;

		uint64_t whole = 0, parts = 0, byte = 0, none = 0;
		assert_int_equal(pm_pagemap_walk(pagemap, start, end, count_pages, &whole, NULL),
		                 0);
		assert_int_equal(
			pm_pagemap_walk(pagemap, start + 1, end - 1, count_pages, &parts, NULL), 0);
		assert_int_equal(pm_pagemap_walk(pagemap, start + 5000, start + 5001, count_pages,
		                                 &byte, NULL),
		                 0);

		assert_int_equal(pm_pagemap_walk(pagemap, start, start, count_pages, &none, NULL),
		                 0);
		assert_int_equal(whole, (end - start) / 4096);
		assert_int_equal(parts, whole);
		assert_int_equal(byte, 1);
		assert_int_equal(none, 0);
		pm_pagemap_close(pagemap);
	}

	pm_process_close(process);
	target_stop(&target);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "exec-storm") == 0) {
		execl("/proc/self/exe", "maps_attack_test", "exec-storm", (char *)NULL);
		return 1;
	}

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_end_in_deleted),
		cmocka_unit_test(names_of_any_bytes),
		cmocka_unit_test(long_path_of_newlines),
		cmocka_unit_test(very_long_path),
		cmocka_unit_test(execs_during_the_listing),
		cmocka_unit_test(page_states_after_an_exec),
		cmocka_unit_test(page_states_after_the_end),
		cmocka_unit_test(page_states_of_parts_of_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
