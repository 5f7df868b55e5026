/* SPDX-License-Identifier: MIT */
/* Each type of word, on a fixed list of regions. select_oracle_test.c has random selections. */
#include <procmem/select.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fixture_regions.h"

static void expect_bad_word(const char *word, const char *sentence)
{
	struct pm_select *select = fixture_choice();
	struct pm_error error = { 0 };
	assert_int_equal(pm_select_add_word(select, word, &error), -1);
	if (error.kind != PM_ERROR_USAGE || !strstr(error.text, sentence))
		fail_msg("'%s' gives kind %d: %s", word, (int)error.kind, error.text);
	assert_int_equal(pm_select_add_word(select, word, NULL), -1);

	/* The selection is unchanged. */
	assert_true(pm_select_is_everything(select));
	pm_select_destroy(select);
}

static void expect_not_found(const char *words, const char *sentence)
{
	struct pm_select *select = fixture_choice_of(words);
	struct pm_region_range *ranges = (struct pm_region_range *)&fixture_regions;
	size_t count = 7;
	struct pm_error error = { 0 };

	assert_int_equal(pm_select_apply(select, &fixture_regions, &ranges, &count, &error), -1);
	if (error.kind != PM_ERROR_NOT_FOUND || !strstr(error.text, sentence))
		fail_msg("'%s' gives kind %d: %s", words, (int)error.kind, error.text);
	assert_ptr_equal(ranges, &fixture_regions);
	assert_int_equal(count, 7);
	assert_int_equal(pm_select_apply(select, &fixture_regions, &ranges, &count, NULL), -1);
	pm_select_destroy(select);
}

static void everything(void **state)
{
	(void)state;
	fixture_expect_regions(fixture_choice(), "0 1 2 3 4 5 6 7 8");
	fixture_expect_regions(fixture_choice_of("all"), "0 1 2 3 4 5 6 7 8");
	fixture_expect_regions(fixture_choice_of("heap|all"), "0 1 2 3 4 5 6 7 8");
}

static void an_address(void **state)
{
	(void)state;
	fixture_expect_regions(fixture_choice_of("0x7f3a1c0042f1"), "3");
	fixture_expect_regions(fixture_choice_of("7f3a1c0042f1"), "3");
	fixture_expect_regions(fixture_choice_of("00007f3a1c0042f1"), "3");
	fixture_expect_regions(fixture_choice_of("0X7F3A1C0042F1"), "3");

	/* First and last byte, and the border between two regions. */
	fixture_expect_regions(fixture_choice_of("7f3a08000000"), "3");
	fixture_expect_regions(fixture_choice_of("7f3a77c02fff"), "3");
	fixture_expect_regions(fixture_choice_of("401fff"), "0");
	fixture_expect_regions(fixture_choice_of("402000"), "1");
	fixture_expect_regions(fixture_choice_of("ffffffffff600010"), "8");
	fixture_expect_regions(fixture_choice_of("600000|400000"), "0 2");
}

static void a_range(void **state)
{
	(void)state;
	fixture_expect(fixture_choice_of("7f3a08000000-7f3a77c03000"),
	               "7f3a08000000-7f3a77c03000:3");
	fixture_expect(fixture_choice_of("0x7f3a08000001-0x7f3a08000003"),
	               "7f3a08000001-7f3a08000003:3");
	fixture_expect(fixture_choice_of("401ffe-402002"), "401ffe-402000:0 402000-402002:1");
	fixture_expect(fixture_choice_of("7f3a08000000+16781312"), "7f3a08000000-7f3a09001000:3");
	fixture_expect(fixture_choice_of("7f3a08000000+16M"), "7f3a08000000-7f3a09000000:3");

	fixture_expect(fixture_choice_of("7f3a08000000+0x20"), "7f3a08000000-7f3a08000020:3");
	fixture_expect(fixture_choice_of("0x7f3a08000000+1.5K"), "7f3a08000000-7f3a08000600:3");
	fixture_expect(fixture_choice_of("0000000000600000-0000000000600001"), "600000-600001:2");
}

static void a_range_with_holes(void **state)
{
	(void)state;
	fixture_expect(fixture_choice_of("3ff000-404000"),
	               "3ff000-400000:- 400000-402000:0 402000-403000:1 403000-404000:-");
	fixture_expect(fixture_choice_of("402800-600010"),
	               "402800-403000:1 403000-600000:- 600000-600010:2");
	fixture_expect(fixture_choice_of("6fffff-7f3a08000001"),
	               "6fffff-700000:2 700000-7f3a08000000:- 7f3a08000000-7f3a08000001:3");
	fixture_expect(fixture_choice_of("ffffffffff600ff0-ffffffffffffffff"),
	               "ffffffffff600ff0-ffffffffff601000:8 ffffffffff601000-ffffffffffffffff:-");
}

static void kinds_and_names(void **state)
{
	(void)state;
	fixture_expect_regions(fixture_choice_of("code"), "0 5");
	fixture_expect_regions(fixture_choice_of("heap|stack|jit"), "2 4 7");
	fixture_expect_regions(fixture_choice_of("[heap]"), "2");
	fixture_expect_regions(fixture_choice_of("[vsyscall]|[stack]"), "7 8");
	expect_not_found("arena", "no region is of kind arena");
	expect_not_found("[vdso]", "no region is called [vdso]");
	expect_not_found("arena|[vdso]", "no region is called [vdso]");
}

/** A list of words, of which some are absent, selects the regions of the others. */
static void absent_words_are_ignored(void **state)
{
	(void)state;
	fixture_expect_regions(fixture_choice_of("heap|[vdso]|arena"), "2");
	fixture_expect_regions(fixture_choice_of("arena|heap"), "2");
	fixture_expect_regions(fixture_choice_of("arena|all"), "0 1 2 3 4 5 6 7 8");
	/* A wrong address is a mistake. */
	expect_not_found("heap|1000", "nothing is mapped at 0x1000");
	expect_not_found("heap|arena|1000-2000", "nothing is mapped in 1000-2000");
}

static void words_are_combined(void **state)
{
	(void)state;
	fixture_expect(fixture_choice_of("400000+0x100|400080+0x100"), "400000-400180:0");
	fixture_expect(fixture_choice_of("400100+0x10|400000+0x100"), "400000-400110:0");
	fixture_expect(fixture_choice_of("400100+0x10|400000+0x50"),
	               "400000-400050:0 400100-400110:0");
	fixture_expect(fixture_choice_of("400010+0x10|400000"), "400000-402000:0");
	fixture_expect(fixture_choice_of("code|400010-402010"),
	               "400000-402000:0 402000-402010:1 7f3b2a1f1000-7f3b2b2a5000:5");

	fixture_expect(fixture_choice_of("heap|heap|[heap]|600000"), "600000-700000:2");
	fixture_expect(fixture_choice_of("402800-403800|402c00-404000"),
	               "402800-403000:1 403000-404000:-");
}

static void hexadecimal_words_that_look_like_names(void **state)
{
	(void)state;
	expect_not_found(
		"face",
		"nothing is mapped at 0xface; the first region is 400000-402000 /usr/bin/shop");
	expect_not_found("deadbeef", "nothing is mapped at 0xdeadbeef; the nearest regions are "
	                             "600000-700000 [heap] below and "
	                             "7f3a08000000-7f3a77c03000 malloc above");
}

static void unmapped_addresses(void **state)
{
	(void)state;
	expect_not_found("402fff|403000", "the nearest regions are 402000-403000 /usr/bin/shop "
	                                  "below and 600000-700000 [heap] above");
	expect_not_found("403000-600000",
	                 "nothing is mapped in 403000-600000; the nearest regions are");
	expect_not_found("0+16", "the first region is 400000-402000");
	expect_not_found("ffffffffffffffff",
	                 "the last region is ffffffffff600000-ffffffffff601000 [vsyscall]");

	struct pm_regions none;
	pm_regions_init(&none);

	struct pm_select *select = fixture_choice_of("400000");
	struct pm_region_range *ranges;
	size_t count;
	struct pm_error error = { 0 };

	assert_int_equal(pm_select_apply(select, &none, &ranges, &count, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	assert_int_equal(error.address, 0x400000);
	pm_select_destroy(select);
}

static void invalid_words(void **state)
{
	(void)state;
	expect_bad_word("anom",
	                "'anom' is not a REGION; did you mean 'anon'? A REGION is an address");
	expect_bad_word("Heap", "did you mean 'heap'?");
	expect_bad_word("", "'' is not a REGION: a REGION is an address (7f3a08000000), ADDR-END, "
	                    "ADDR+LEN, a kind (heap, stack, ...), "
	                    "[name] or 'all'");
	expect_bad_word("heap+0x40", "'heap+0x40' is not a REGION: expected an address before +");

	expect_bad_word("[]", "is not a REGION");
	expect_bad_word("0x", "is not a REGION");
	expect_bad_word("-1", "is not a REGION");
	expect_bad_word("400000-", "is not a REGION");
	expect_bad_word("400000-402000x", "is not a REGION");
	expect_bad_word("400000 ", "is not a REGION");
	expect_bad_word("10000000000000000", "is not a REGION");
	expect_bad_word("402000-402000", "the end address must be above");

	expect_bad_word("402000-400000", "the end address must be above");
	expect_bad_word("400000+0", "has the length 0");
	expect_bad_word("400000+", "'' is not a size");
	expect_bad_word("400000+12Q", "'12Q' is not a size");
	expect_bad_word("ffffffffff600000+16M", "extends beyond the end of the address space");
	expect_bad_word("two\nlines", "'two lines' is not a REGION");
}

static void empty_list(void **state)
{
	(void)state;
	struct pm_regions none;
	pm_regions_init(&none);

	struct pm_select *select = fixture_choice_of("all");
	struct pm_region_range *ranges = (struct pm_region_range *)&none;
	size_t count = 7;
	assert_int_equal(pm_select_apply(select, &none, &ranges, &count, NULL), 0);
	assert_null(ranges);
	assert_int_equal(count, 0);
	pm_select_destroy(select);
	pm_select_destroy(NULL);
}

static void needs_kinds_or_everything(void **state)
{
	(void)state;
	struct pm_select *select = fixture_choice_of("all|400000|[heap]");
	assert_false(pm_select_needs_kinds(select));
	assert_false(pm_select_is_everything(select));
	assert_int_equal(pm_select_add_word(select, "heap", NULL), 0);
	assert_true(pm_select_needs_kinds(select));
	pm_select_destroy(select);
	select = fixture_choice_of("all|all");

	assert_true(pm_select_is_everything(select));
	pm_select_destroy(select);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything),
		cmocka_unit_test(an_address),
		cmocka_unit_test(a_range),
		cmocka_unit_test(a_range_with_holes),
		cmocka_unit_test(kinds_and_names),
		cmocka_unit_test(absent_words_are_ignored),
		cmocka_unit_test(words_are_combined),
		cmocka_unit_test(hexadecimal_words_that_look_like_names),
		cmocka_unit_test(unmapped_addresses),
		cmocka_unit_test(invalid_words),
		cmocka_unit_test(empty_list),
		cmocka_unit_test(needs_kinds_or_everything),
	};

	return cmocka_run_group_tests(tests, fixture_make, fixture_drop);
}
