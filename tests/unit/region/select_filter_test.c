/* SPDX-License-Identifier: MIT */
/* Each filter, on a fixed list of regions. */
#include <procmem/select.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fixture_regions.h"

static void filter_by_kind(void **state)
{
	(void)state;
	struct pm_select *select = fixture_choice();
	assert_false(pm_select_needs_kinds(select));
	assert_int_equal(pm_select_set_kinds(select, "jit,heap", NULL), 0);
	assert_true(pm_select_needs_kinds(select));
	assert_false(pm_select_is_everything(select));
	fixture_expect_regions(select, "2 4");

	select = fixture_choice_of("400000-7f3a08001000");
	assert_int_equal(pm_select_set_kinds(select, "code", NULL), 0);
	assert_int_equal(pm_select_set_kinds(select, "heap", NULL), 0);
	fixture_expect(select, "600000-700000:2");

	select = fixture_choice();
	struct pm_error error = { 0 };
	assert_int_equal(pm_select_set_kinds(select, "heap,hepa", &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_non_null(strstr(error.text, "'hepa' is not a kind; did you mean 'heap'?"));
	assert_int_equal(pm_select_set_kinds(select, "xyzzy", &error), -1);
	assert_non_null(strstr(error.text, "the kinds are: heap arena"));
	assert_int_equal(pm_select_set_kinds(select, "heap,", &error), -1);
	assert_int_equal(pm_select_set_kinds(select, "", &error), -1);
	assert_true(pm_select_is_everything(select));
	pm_select_destroy(select);
}

static void expect_mapping(const char *regex, const char *expected)
{
	struct pm_select *select = fixture_choice();
	struct pm_error error = { 0 };
	if (pm_select_set_mapping(select, regex, &error) < 0)
		fail_msg("%s", error.text);
	assert_false(pm_select_is_everything(select));
	fixture_expect_regions(select, expected);
}

static void filter_by_mapping(void **state)
{
	(void)state;
	expect_mapping("shop", "0 1");
	expect_mapping("\\.so$", "5");
	expect_mapping("^$", "3 4");
	expect_mapping("(?i)/ü.ïcode/", "5");
	expect_mapping("b\\nc$", "6");
	expect_mapping("^\\[(heap|stack)\\]$", "2 7");
	expect_mapping("nowhere", "");
	expect_mapping("\xff", "");

	struct pm_select *select = fixture_choice();
	struct pm_error error = { 0 };
	assert_int_equal(pm_select_set_mapping(select, "libc(", &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_non_null(strstr(error.text, "invalid pattern at offset 5, between 'libc(' "
	                                   "and '': missing closing parenthesis"));
	assert_true(pm_select_is_everything(select));
	pm_select_destroy(select);
}

static void endless_patterns(void **state)
{
	(void)state;
	struct pm_regions long_name;
	char name[4096];
	memset(name, 'a', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	pm_regions_init(&long_name);

	struct pm_region region = { .start = 0x1000, .end = 0x2000, .mapping = name };
	assert_int_equal(pm_regions_append(&long_name, &region, NULL), 0);

	struct pm_select *select = fixture_choice();
	assert_int_equal(pm_select_set_mapping(select, "^(a+)+$(?<=b)", NULL), 0);

	struct pm_region_range *ranges;
	size_t count;
	struct pm_error error = { 0 };
	assert_int_equal(pm_select_apply(select, &long_name, &ranges, &count, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_non_null(strstr(error.text, "the pattern '^(a+)+$(?<=b)' cannot be matched"));
	pm_select_destroy(select);
	pm_regions_deinit(&long_name);
}

static void expect_perms(const char *spec, const char *expected)
{
	struct pm_select *select = fixture_choice();
	struct pm_error error = { 0 };
	if (pm_select_set_perms(select, spec, &error) < 0)
		fail_msg("%s", error.text);
	fixture_expect_regions(select, expected);
}

static void filter_by_permissions(void **state)
{
	(void)state;
	expect_perms("x", "0 4 5 8");
	expect_perms("rw", "1 2 3 4 6 7");
	expect_perms("wr", "1 2 3 4 6 7");
	expect_perms("s", "6");
	expect_perms("xp", "0 4 5 8");
	expect_perms("rwxp", "4");
	expect_perms("prwx", "4");

	expect_perms("rw-p", "1 2 3 7");
	expect_perms("rw-?", "1 2 3 6 7");
	expect_perms("r-xp", "0 5");
	expect_perms("--xp", "8");
	expect_perms("????", "0 1 2 3 4 5 6 7 8");

	static const char *const wrong[] = { "",      "rw-", "r?", "rwz", "sp",
		                             "rw-px", "-",   "RW", "r-wp" };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct pm_select *select = fixture_choice();
		struct pm_error error = { 0 };
		assert_int_equal(pm_select_set_perms(select, wrong[i], &error), -1);
		assert_int_equal(error.kind, PM_ERROR_USAGE);
		assert_non_null(strstr(error.text, "is not a set of permissions"));
		assert_true(pm_select_is_everything(select));
		pm_select_destroy(select);
	}
}

static void filter_by_sizes(void **state)
{
	(void)state;
	struct pm_select *select = fixture_choice();
	pm_select_set_min_rss(select, 0x10000);
	assert_true(pm_select_needs_rss(select));
	fixture_expect_regions(select, "2 3 4 6");
	select = fixture_choice();
	pm_select_set_min_size(select, 0x100000);
	assert_false(pm_select_needs_rss(select));

	fixture_expect_regions(select, "2 3 4 5");
	/* The size of the region, not of the requested bytes; and all filters apply. */
	select = fixture_choice_of("600000+1|400000+1|7f3a08000000+1");
	pm_select_set_min_size(select, 0x100000);
	assert_int_equal(pm_select_set_mapping(select, "heap", NULL), 0);
	assert_int_equal(pm_select_set_perms(select, "rw-p", NULL), 0);
	fixture_expect(select, "600000-600001:2");
}

static void unknown_rss_is_an_error(void **state)
{
	(void)state;
	struct pm_regions unknown;
	pm_regions_init(&unknown);

	struct pm_region region = { .start = 0x1000, .end = 0x2000 };
	assert_int_equal(pm_regions_append(&unknown, &region, NULL), 0);

	struct pm_select *select = fixture_choice();
	pm_select_set_min_rss(select, 1);

	struct pm_region_range *ranges;
	size_t count;
	struct pm_error error = { 0 };
	assert_int_equal(pm_select_apply(select, &unknown, &ranges, &count, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_non_null(strstr(error.text, "resident size of 1000-2000 is not known"));
	pm_select_destroy(select);
	pm_regions_deinit(&unknown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filter_by_kind),   cmocka_unit_test(filter_by_mapping),
		cmocka_unit_test(endless_patterns), cmocka_unit_test(filter_by_permissions),
		cmocka_unit_test(filter_by_sizes),  cmocka_unit_test(unknown_rss_is_an_error),
	};

	return cmocka_run_group_tests(tests, fixture_make, fixture_drop);
}
