/* SPDX-License-Identifier: MIT */
/* Which file has the symbols of a program: of core files, and with debug information in a file of its own. Never one of another program. */
#include <procmem/core_dump.h>
#include <procmem/symbols.h>

#include <fcntl.h>
#include <procmem/number.h>
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

#include "reader/mapped_file.h"
#include "support/look.h"
#include "support/target.h"
#include "support/tree.h"
#include "symbols/elf_symbols.h"

struct scene {
	struct target target;
	struct look look;
	char *folder;             /* stands for the root directory of the core file */
	char program[4200];       /* where the target's program is, and where a copy of it belongs below the folder */
	char copy[8500];
	char debug[8500];         /* where its debug information belongs there */
	struct pm_core *core;
	struct pm_regions regions;
	struct pm_symbols *symbols;
};

/** Writes a core file of the target, and opens it. */
static void take_core(struct scene *scene)
{
	char path[4300];
	struct pm_dump_result result;
	struct pm_error error;
	const struct pm_dump_source source = {
		.process = scene->look.process, .regions = &scene->look.regions, .pages = &scene->look.pages, .reader = &scene->look.memory,
	};
	snprintf(path, sizeof path, "%s/core", scene->folder);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	if (pm_dump_core(&source, NULL, fd, &result, &error) < 0)
		fail_msg("%s", error.text);
	close(fd);
	assert_int_equal(pm_core_open(path, &scene->core, &error), 0);
	pm_regions_init(&scene->regions);
	assert_int_equal(pm_core_regions(scene->core, &scene->regions, &error), 0);
}

static int setup(void **state)
{
	static struct scene scene;
	char link[64], id_path[PM_BUILD_ID_PATH_SIZE];
	struct pm_elf_symbols own = { 0 };
	scene = (struct scene){ .folder = tree_create() };
	target_start(&scene.target, "values", NULL);
	look_open(&scene.look, scene.target.pid);
	snprintf(link, sizeof link, "/proc/%d/exe", (int)scene.target.pid);
	ssize_t length = readlink(link, scene.program, sizeof scene.program - 1);
	assert_true(length > 0);
	int fd = open(scene.program, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pm_elf_symbols_read(fd, &own, NULL), 0);
	close(fd);
	assert_true(own.whole);
	assert_true(own.id.size > 0);
	pm_build_id_path(&own.id, id_path);
	pm_elf_symbols_deinit(&own);
	snprintf(scene.copy, sizeof scene.copy, "%s%s", scene.folder, scene.program);
	snprintf(scene.debug, sizeof scene.debug, "%s%s", scene.folder, id_path);
	take_core(&scene);
	*state = &scene;
	return 0;
}

static int teardown(void **state)
{
	struct scene *scene = *state;
	pm_symbols_close(scene->symbols);
	pm_regions_deinit(&scene->regions);
	pm_core_close(scene->core);
	look_close(&scene->look);
	target_stop(&scene->target);
	tree_remove(scene->folder);
	return 0;
}

/** Makes the folders of a path. */
static void make_folders(const char *path)
{
	char folder[8500];
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
		mkdir(folder, 0700);
	}
}

/** Runs a program, with two words before the target's program, and a file that it writes. */
static void make(struct scene *scene, const char *how, const char *option, const char *path)
{
	struct target program;
	int status;
	make_folders(path);
	program_start(&program, how, option, scene->program, path, NULL);
	target_await_end(&program, &status);
	assert_int_equal(status, 0);
	target_stop(&program);
	assert_int_equal(access(path, R_OK), 0);
}

/** Changes the build ID of a file, wherever it stands there. */
static void change_id(const char *path)
{
	struct pm_elf_symbols own = { 0 };
	static char bytes[4 << 20];
	size_t changed = 0;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pm_elf_symbols_read(fd, &own, NULL), 0);
	ssize_t size = pread(fd, bytes, sizeof bytes, 0);
	for (ssize_t at = 0; at + (ssize_t)own.id.size <= size; at++) {
		if (memcmp(bytes + at, own.id.bytes, own.id.size) != 0)
			continue;
		char last = (char)(bytes[at + (ssize_t)own.id.size - 1] ^ 1);
		assert_int_equal(pwrite(fd, &last, 1, at + (ssize_t)own.id.size - 1), 1);
		changed++;
	}
	assert_true(changed > 0);
	pm_elf_symbols_deinit(&own);
	close(fd);
}

static uint64_t address_of(const struct scene *scene, const char *name)
{
	char words[64];
	uint64_t address;
	snprintf(words, sizeof words, "symbol %s", name);
	assert_int_equal(pm_parse_address(target_fact(&scene->target, words), &address, NULL), 0);
	return address;
}

static void open_symbols(struct scene *scene)
{
	assert_int_equal(pm_symbols_open_core(scene->core, scene->folder, &scene->regions, &scene->symbols, NULL), 0);
}

static void expect(struct scene *scene, const char *name, bool known)
{
	struct pm_symbol symbol;
	int found = pm_symbols_find(scene->symbols, address_of(scene, name) + 1, &symbol, NULL);
	if (found != known)
		fail_msg("%s is %sfound", name, known ? "not " : "");
	if (!known)
		return;
	assert_string_equal(symbol.name, name);
	assert_int_equal(symbol.offset, 1);
	assert_string_equal(symbol.object, scene->program);
}

static void test_a_core_file_has_the_symbols_of_the_file_that_it_names(void **state)
{
	struct scene *scene = *state;
	make(scene, "cp", "-p", scene->copy);
	open_symbols(scene);
	expect(scene, "global_function", true);
	expect(scene, "local_function", true);
	expect(scene, "global_data", true);
	expect(scene, "local_zeroed", true);
	/* Its library is not below that folder. */
	expect(scene, "strtol", false);
}

static void test_a_file_with_another_build_id_is_not_used(void **state)
{
	struct scene *scene = *state;
	make(scene, "cp", "-p", scene->copy);
	change_id(scene->copy);
	open_symbols(scene);
	expect(scene, "global_function", false);
	expect(scene, "local_zeroed", false);
}

static void test_without_a_build_id_nothing_fits(void **state)
{
	struct scene *scene = *state;
	make(scene, "objcopy", "--remove-section=.note.gnu.build-id", scene->copy);
	open_symbols(scene);
	expect(scene, "global_function", false);
}

static void test_debug_information_stands_in_for_the_program(void **state)
{
	struct scene *scene = *state;
	make(scene, "objcopy", "--only-keep-debug", scene->debug);
	open_symbols(scene);
	expect(scene, "global_function", true);
	expect(scene, "local_function", true);
	expect(scene, "local_zeroed", true);
}

static void test_debug_information_adds_to_a_program_without_symbols(void **state)
{
	struct scene *scene = *state;
	make(scene, "objcopy", "--strip-all", scene->copy);
	make(scene, "objcopy", "--only-keep-debug", scene->debug);
	open_symbols(scene);
	expect(scene, "global_function", true);
	expect(scene, "local_function", true);
}

static void test_debug_information_of_another_program_is_not_used(void **state)
{
	struct scene *scene = *state;
	make(scene, "objcopy", "--strip-all", scene->copy);
	make(scene, "objcopy", "--only-keep-debug", scene->debug);
	change_id(scene->debug);
	open_symbols(scene);
	expect(scene, "local_function", false);
}

static void test_what_is_no_file_is_not_opened(void **state)
{
	struct scene *scene = *state;
	make_folders(scene->copy);
	make_folders(scene->debug);
	/* Opening these would wait for ever. */
	assert_int_equal(mkfifo(scene->copy, 0600), 0);
	assert_int_equal(mkfifo(scene->debug, 0600), 0);
	open_symbols(scene);
	expect(scene, "global_function", false);
}

/** A core file, or a link in a container, may name a file that loses what is read. */
static void test_what_the_kernel_makes_up_is_not_opened(void **state)
{
	struct scene *scene = *state;
	int made_up = open("/proc/self/status", O_PATH | O_CLOEXEC), real = open(scene->program, O_PATH | O_CLOEXEC);
	assert_true(made_up >= 0 && real >= 0);
	assert_int_equal(pm_regular_file_open(made_up), -1);
	int fd = pm_regular_file_open(real);
	assert_true(fd >= 0);
	close(fd);
}

static void test_the_root_directory_is_the_usual_one(void **state)
{
	struct scene *scene = *state;
	assert_int_equal(pm_symbols_open_core(scene->core, NULL, &scene->regions, &scene->symbols, NULL), 0);
	expect(scene, "global_function", true);
	expect(scene, "local_function", true);
}

static void test_build_ids_fit_only_where_both_are_known(void **state)
{
	const struct pm_build_id none = { .size = 0 }, one = { .bytes = { 1, 2 }, .size = 2 }, longer = { .bytes = { 1, 2, 3 }, .size = 3 };
	char path[PM_BUILD_ID_PATH_SIZE];
	struct pm_build_id most = { .size = PM_BUILD_ID_MOST };
	(void)state;
	assert_false(pm_build_id_fits(&none, &none));
	assert_false(pm_build_id_fits(&one, &none));
	assert_false(pm_build_id_fits(&one, &longer));
	assert_true(pm_build_id_fits(&one, &one));
	pm_build_id_path(&longer, path);
	assert_string_equal(path, "/usr/lib/debug/.build-id/01/0203.debug");
	memset(most.bytes, 0xff, sizeof most.bytes);
	pm_build_id_path(&most, path);
	assert_int_equal(strlen(path), PM_BUILD_ID_PATH_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_core_file_has_the_symbols_of_the_file_that_it_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_file_with_another_build_id_is_not_used, setup, teardown),
		cmocka_unit_test_setup_teardown(test_without_a_build_id_nothing_fits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_debug_information_stands_in_for_the_program, setup, teardown),
		cmocka_unit_test_setup_teardown(test_debug_information_adds_to_a_program_without_symbols, setup, teardown),
		cmocka_unit_test_setup_teardown(test_debug_information_of_another_program_is_not_used, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_no_file_is_not_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_the_kernel_makes_up_is_not_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_root_directory_is_the_usual_one, setup, teardown),
		cmocka_unit_test(test_build_ids_fit_only_where_both_are_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
