/* SPDX-License-Identifier: MIT */
/* Which file has the symbols of a program: of core files, and with debug information in a file of
 * its own. Never one of another program. */
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

struct fixture {
	struct target target;
	struct look look;
	char *folder;       /* the root directory of the core file */
	char program[4200]; /* where the target's program is, and where a copy of it belongs below
	                       the folder */
	char copy[8500];
	char debug[8500]; /* where its debug information belongs there */
	struct pm_core *core;
	struct pm_regions regions;
	struct pm_symbols *symbols;
};

/** Writes a core file of the target, and opens it. */
static void take_core(struct fixture *fixture)
{
	char path[4300];
	struct pm_dump_result result;
	struct pm_error error;
	const struct pm_dump_source source = {
		.process = fixture->look.process,
		.regions = &fixture->look.regions,
		.pages = &fixture->look.pages,
		.reader = &fixture->look.memory,
	};

	snprintf(path, sizeof path, "%s/core", fixture->folder);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	if (pm_dump_core(&source, NULL, fd, &result, &error) < 0)
		fail_msg("%s", error.text);
	close(fd);
	assert_int_equal(pm_core_open(path, &fixture->core, &error), 0);
	pm_regions_init(&fixture->regions);

	assert_int_equal(pm_core_regions(fixture->core, &fixture->regions, &error), 0);
}

static int setup(void **state)
{
	static struct fixture fixture;
	char link[64], id_path[PM_BUILD_ID_PATH_SIZE];
	struct pm_elf_symbols own = { 0 };

	fixture = (struct fixture){ .folder = tree_create() };
	target_start(&fixture.target, "values", NULL);
	look_open(&fixture.look, fixture.target.pid);
	snprintf(link, sizeof link, "/proc/%d/exe", (int)fixture.target.pid);

	ssize_t length = readlink(link, fixture.program, sizeof fixture.program - 1);
	assert_true(length > 0);

	int fd = open(fixture.program, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pm_elf_symbols_read(fd, &own, NULL), 0);
	close(fd);
	assert_true(own.whole);
	assert_true(own.id.size > 0);
	pm_build_id_path(&own.id, id_path);
	pm_elf_symbols_deinit(&own);
	snprintf(fixture.copy, sizeof fixture.copy, "%s%s", fixture.folder, fixture.program);

	snprintf(fixture.debug, sizeof fixture.debug, "%s%s", fixture.folder, id_path);
	take_core(&fixture);
	*state = &fixture;

	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	pm_symbols_close(fixture->symbols);
	pm_regions_deinit(&fixture->regions);
	pm_core_close(fixture->core);
	look_close(&fixture->look);
	target_stop(&fixture->target);
	tree_remove(fixture->folder);
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
static void make(struct fixture *fixture, const char *how, const char *option, const char *path)
{
	struct target program;
	int status;
	make_folders(path);
	program_start(&program, how, option, fixture->program, path, NULL);
	target_await_end(&program, &status);
	assert_int_equal(status, 0);

	target_stop(&program);
	assert_int_equal(access(path, R_OK), 0);
}

/** Changes the build ID of a file, at any offset. */
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

static uint64_t address_of(const struct fixture *fixture, const char *name)
{
	char words[64];
	uint64_t address;
	snprintf(words, sizeof words, "symbol %s", name);
	assert_int_equal(pm_parse_address(target_fact(&fixture->target, words), &address, NULL), 0);
	return address;
}

static void open_symbols(struct fixture *fixture)
{
	assert_int_equal(pm_symbols_open_core(fixture->core, fixture->folder, &fixture->regions,
	                                      &fixture->symbols, NULL),
	                 0);
}

static void expect(struct fixture *fixture, const char *name, bool known)
{
	struct pm_symbol symbol;
	int found = pm_symbols_find(fixture->symbols, address_of(fixture, name) + 1, &symbol, NULL);
	if (found != known)
		fail_msg("%s is %sfound", name, known ? "not " : "");
	if (!known)
		return;

	assert_string_equal(symbol.name, name);
	assert_int_equal(symbol.offset, 1);
	assert_string_equal(symbol.object, fixture->program);
}

static void test_a_core_file_has_the_symbols_of_the_file_that_it_names(void **state)
{
	struct fixture *fixture = *state;
	make(fixture, "cp", "-p", fixture->copy);
	open_symbols(fixture);
	expect(fixture, "global_function", true);
	expect(fixture, "local_function", true);
	expect(fixture, "global_data", true);
	expect(fixture, "local_zeroed", true);

	/* Its library is not below that folder. */
	expect(fixture, "strtol", false);
}

static void test_a_file_with_another_build_id_is_not_used(void **state)
{
	struct fixture *fixture = *state;
	make(fixture, "cp", "-p", fixture->copy);
	change_id(fixture->copy);
	open_symbols(fixture);
	expect(fixture, "global_function", false);
	expect(fixture, "local_zeroed", false);
}

static void test_without_a_build_id_no_file_matches(void **state)
{
	struct fixture *fixture = *state;
	make(fixture, "objcopy", "--remove-section=.note.gnu.build-id", fixture->copy);
	open_symbols(fixture);
	expect(fixture, "global_function", false);
}

static void test_debug_information_replaces_the_program(void **state)
{
	struct fixture *fixture = *state;
	make(fixture, "objcopy", "--only-keep-debug", fixture->debug);
	open_symbols(fixture);
	expect(fixture, "global_function", true);
	expect(fixture, "local_function", true);
	expect(fixture, "local_zeroed", true);
}

static void test_debug_information_adds_to_a_program_without_symbols(void **state)
{
	struct fixture *fixture = *state;
	make(fixture, "objcopy", "--strip-all", fixture->copy);
	make(fixture, "objcopy", "--only-keep-debug", fixture->debug);
	open_symbols(fixture);
	expect(fixture, "global_function", true);
	expect(fixture, "local_function", true);
}

static void test_debug_information_of_another_program_is_not_used(void **state)
{
	struct fixture *fixture = *state;
	make(fixture, "objcopy", "--strip-all", fixture->copy);
	make(fixture, "objcopy", "--only-keep-debug", fixture->debug);
	change_id(fixture->debug);
	open_symbols(fixture);
	expect(fixture, "local_function", false);
}

static void test_special_files_are_not_opened(void **state)
{
	struct fixture *fixture = *state;
	make_folders(fixture->copy);
	make_folders(fixture->debug);

	/* Opening these would block forever. */
	assert_int_equal(mkfifo(fixture->copy, 0600), 0);
	assert_int_equal(mkfifo(fixture->debug, 0600), 0);
	open_symbols(fixture);
	expect(fixture, "global_function", false);
}

/** A core file, or a link in a container, may name a file that loses what is read. */
static void test_pseudo_mappings_are_not_opened(void **state)
{
	struct fixture *fixture = *state;
	int fake_memory = open("/proc/self/status", O_PATH | O_CLOEXEC),
	    real = open(fixture->program, O_PATH | O_CLOEXEC);
	assert_true(fake_memory >= 0 && real >= 0);
	assert_int_equal(pm_regular_file_open(fake_memory), -1);

	int fd = pm_regular_file_open(real);
	assert_true(fd >= 0);
	close(fd);
}

static void test_the_root_directory_is_the_usual_one(void **state)
{
	struct fixture *fixture = *state;
	assert_int_equal(pm_symbols_open_core(fixture->core, NULL, &fixture->regions,
	                                      &fixture->symbols, NULL),
	                 0);
	expect(fixture, "global_function", true);
	expect(fixture, "local_function", true);
}

static void test_build_ids_match_only_if_both_are_known(void **state)
{
	const struct pm_build_id none = { .size = 0 }, one = { .bytes = { 1, 2 }, .size = 2 },
				 longer = { .bytes = { 1, 2, 3 }, .size = 3 };
	char path[PM_BUILD_ID_PATH_SIZE];
	struct pm_build_id most = { .size = PM_BUILD_ID_MAX };

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
		cmocka_unit_test_setup_teardown(
			test_a_core_file_has_the_symbols_of_the_file_that_it_names, setup,
			teardown),
		cmocka_unit_test_setup_teardown(test_a_file_with_another_build_id_is_not_used,
		                                setup, teardown),
		cmocka_unit_test_setup_teardown(test_without_a_build_id_no_file_matches, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_debug_information_replaces_the_program, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(
			test_debug_information_adds_to_a_program_without_symbols, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_debug_information_of_another_program_is_not_used, setup, teardown),
		cmocka_unit_test_setup_teardown(test_special_files_are_not_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pseudo_mappings_are_not_opened, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_the_root_directory_is_the_usual_one, setup,
		                                teardown),
		cmocka_unit_test(test_build_ids_match_only_if_both_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
