/* SPDX-License-Identifier: MIT */
/* Numbers of the items that a session printed, and how long they last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "view/results.h"

static int setup(void **state)
{
	*state = results_create();
	return 0;
}

static int teardown(void **state)
{
	results_destroy(*state);
	return 0;
}

static size_t add_region(struct results *results, uint64_t start, uint64_t end)
{
	return results_add_region(results, start, end, "anon", "");
}

static void test_hits_are_replaced_by_the_next_command(void **state)
{
	struct results *results = *state;
	results_next_command(results);
	assert_int_equal(results_add_hit(results, 0x1000, 4, "abcd", 4), 1);
	assert_int_equal(results_add_hit(results, 0x2000, 2, "ef", 2), 2);
	results_next_command(results);
	assert_int_equal(results_hit_count(results), 2);
	assert_int_equal(results_hit(results, 2)->start, 0x2000);
	assert_int_equal(results_hit(results, 2)->end, 0x2002);

	assert_string_equal(results_hit(results, 2)->text, "ef");
	assert_int_equal(results_add_hit(results, 0x3000, 1, "g", 1), 1);
	assert_int_equal(results_hit_count(results), 1);
	assert_null(results_hit(results, 2));
	assert_null(results_hit(results, 0));
}

static void test_hits_end_with_the_address_space(void **state)
{
	struct results *results = *state;
	results_add_hit(results, UINT64_MAX - 1, 16, "", 0);
	assert_int_equal(results_hit(results, 1)->end, UINT64_MAX);
}

static void test_hits_beyond_the_bound_get_no_number(void **state)
{
	struct results *results = *state;
	for (size_t i = 1; i <= RESULTS_HITS_MAX; i++)
		assert_int_equal(results_add_hit(results, i, 1, "", 0), i);
	assert_int_equal(results_add_hit(results, 1, 1, "", 0), 0);
	assert_int_equal(results_hit_count(results), RESULTS_HITS_MAX);
}

static void test_texts_are_kept_up_to_a_bound(void **state)
{
	struct results *results = *state;
	char text[RESULTS_TEXT_MAX + 50];
	memset(text, 'x', sizeof text);
	text[3] = '\0';
	results_add_hit(results, 1, sizeof text, text, sizeof text);
	assert_int_equal(results_hit(results, 1)->length, RESULTS_TEXT_MAX);
	assert_memory_equal(results_hit(results, 1)->text, text, RESULTS_TEXT_MAX);
}

static void test_a_region_keeps_its_number_while_it_grows(void **state)
{
	struct results *results = *state;
	assert_int_equal(add_region(results, 0x10000, 0x20000), 1);
	assert_int_equal(add_region(results, 0x30000, 0x40000), 2);
	assert_int_equal(add_region(results, 0x30000, 0x48000), 2);
	assert_int_equal(add_region(results, 0x2c000, 0x48000), 2);
	assert_int_equal(add_region(results, 0x2c000, 0x50000), 2);
	assert_int_equal(add_region(results, 0x20000, 0x2c000), 3);
	assert_int_equal(results_region(results, 2)->start, 0x2c000);

	assert_int_equal(results_region(results, 2)->end, 0x50000);
	results_next_command(results);
	assert_int_equal(add_region(results, 0x10000, 0x20000), 1);
	results_clear(results);
	assert_int_equal(results_region_count(results), 0);
	assert_int_equal(add_region(results, 0x30000, 0x40000), 1);
}

static void test_many_regions_are_distinguished(void **state)
{
	struct results *results = *state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 5000; i++)
			assert_int_equal(add_region(results, i << 13, (i << 13) + 4096), i + 1);
	}
	assert_int_equal(results_region_count(results), 5000);
}

static void test_outside_of_a_session_there_are_no_numbers(void **state)
{
	struct out out;
	(void)state;
	assert_int_equal(results_add_hit(NULL, 1, 1, "", 0), 0);
	assert_int_equal(results_add_region(NULL, 1, 2, "", ""), 0);
	out_init(&out, -1);
	results_print_hit(&out, 1, 1, "a", 1);
	assert_int_equal(out.buffer.length, 0);
}

static void test_lines_of_hits_start_with_their_number(void **state)
{
	struct results *results = *state;
	struct out out;
	out_init(&out, -1);
	out.results = results;
	results_print_hit(&out, 1, 1, "a", 1);
	results_print_hit(&out, 2, 1, "b", 1);
	assert_int_equal(out.buffer.length, 2 * RESULTS_NUMBER_WIDTH);
	assert_memory_equal(out.buffer.bytes, "#1    #2    ", 2 * RESULTS_NUMBER_WIDTH);

	text_deinit(&out.buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hits_are_replaced_by_the_next_command, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_hits_end_with_the_address_space, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_hits_beyond_the_bound_get_no_number, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_texts_are_kept_up_to_a_bound, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_region_keeps_its_number_while_it_grows,
		                                setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_regions_are_distinguished, setup,
		                                teardown),
		cmocka_unit_test(test_outside_of_a_session_there_are_no_numbers),
		cmocka_unit_test_setup_teardown(test_lines_of_hits_start_with_their_number, setup,
		                                teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
