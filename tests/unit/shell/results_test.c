/* SPDX-License-Identifier: MIT */
/* Replacement of the numbers of results: for a row of several regions, some of which have been
 * unmapped, and with the address of an end after them. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell/results.h"
#include "shell/session.h"

enum { PAGE = 4096, REGIONS = 3 };

/**
 * Mapped pages, each followed by an unmapped one, and a session with a number for all of them.
 */
struct fixture {
	char *memory;
	struct shell shell;
	size_t number;
};

static char *region(const struct fixture *fixture, size_t index)
{
	return fixture->memory + 2 * index * PAGE;
}

static void begin(struct fixture *fixture)
{
	/* The kernel does not choose low addresses, so nothing is mapped where a page is removed.
	 */
	*fixture = (struct fixture){ .memory = mmap((void *)0x10000000000, 2 * REGIONS * PAGE,
		                                    PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		                                    0) };
	assert_true(fixture->memory != MAP_FAILED);

	struct pm_region_range *ranges = calloc(REGIONS, sizeof *ranges);
	for (size_t i = 0; i < REGIONS; i++) {
		assert_int_equal(munmap(region(fixture, i) + PAGE, PAGE), 0);
		ranges[i] = (struct pm_region_range){ .range = { (uintptr_t)region(fixture, i),
			                                         (uintptr_t)region(fixture, i) +
			                                                 PAGE } };
	}

	fixture->shell.results = results_create();
	fixture->number = results_add_region(fixture->shell.results, ranges[0].range.start,
	                                     ranges[0].range.end, "anon", "");
	results_set_ranges(fixture->shell.results, fixture->number, ranges, REGIONS);
	assert_int_equal(pm_process_open(NULL, getpid(), &fixture->shell.target.process, NULL), 0);
}

static void end(struct fixture *fixture)
{
	pm_process_close(fixture->shell.target.process);
	results_destroy(fixture->shell.results);
}

/**
 * Checks the words that replace `map #r1`.
 * @param expected  indices of regions, terminated by an index that is not valid
 */
static void expect(const struct fixture *fixture, const size_t *expected)
{
	char number[32], address[32];
	snprintf(number, sizeof number, "#r%zu", fixture->number);

	struct shell_statement statement = { .words = calloc(3, sizeof *statement.words),
		                             .quoted = calloc(2, sizeof *statement.quoted) };
	statement.words[0] = strdup("map");
	statement.words[1] = strdup(number);
	statement.count = 2;
	assert_int_equal(shell_results_replace(&fixture->shell, &statement, NULL), 0);

	size_t count = 0;
	for (; expected[count] < REGIONS; count++) {
		assert_true(count + 1 < statement.count);
		snprintf(address, sizeof address, "0x%" PRIxPTR,
		         (uintptr_t)region(fixture, expected[count]));
		assert_string_equal(statement.words[count + 1], address);
	}

	assert_int_equal(statement.count, count + 1);
	assert_null(statement.words[statement.count]);
	shell_line_statement_deinit(&statement);
}

static void processes_that_still_exist(void **state)
{
	(void)state;
	struct fixture fixture;
	begin(&fixture);
	expect(&fixture, (const size_t[]){ 0, 1, 2, REGIONS });
	munmap(region(&fixture, 0), PAGE);
	expect(&fixture, (const size_t[]){ 1, 2, REGIONS });
	munmap(region(&fixture, 2), PAGE);
	expect(&fixture, (const size_t[]){ 1, REGIONS });

	munmap(region(&fixture, 1), PAGE);
	/* The command will report that nothing is mapped there. */
	expect(&fixture, (const size_t[]){ 0, REGIONS });
	end(&fixture);
}

/** Checks the word that replaces `dump WORD`. */
static void expect_word(const struct shell *shell, const char *word, const char *expected)
{
	struct shell_statement statement = { .words = calloc(3, sizeof *statement.words),
		                             .quoted = calloc(2, sizeof *statement.quoted) };
	statement.words[0] = strdup("dump");
	statement.words[1] = strdup(word);
	statement.count = 2;
	assert_int_equal(shell_results_replace(shell, &statement, NULL), 0);
	assert_int_equal(statement.count, 2);
	assert_string_equal(statement.words[1], expected);

	shell_line_statement_deinit(&statement);
}

/** Without randomization, addresses often contain digits only. */
static void end_address_is_not_a_distance(void **state)
{
	(void)state;
	struct shell shell = { .results = results_create() };
	assert_int_equal(
		results_add_region(shell.results, 0x555555559000, 0x55555557a000, "heap", ""), 1);
	expect_word(&shell, "#r1-555555560000", "0x555555559000-555555560000");
	expect_word(&shell, "#r1-55555557a000", "0x555555559000-55555557a000");
	expect_word(&shell, "#r1-4096", "0x555555558000");
	expect_word(&shell, "#r1-0x1000", "0x555555558000");

	results_destroy(shell.results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_that_still_exist),
		cmocka_unit_test(end_address_is_not_a_distance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
