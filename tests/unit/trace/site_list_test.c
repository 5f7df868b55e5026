/* SPDX-License-Identifier: MIT */
/* Lists of sites: what a comparison takes as the same stack, and the sums of the changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <procmem/site_list.h>

#include "support/target.h"

#define SHOP "/usr/bin/shop"

/** Makes a list of sites that a test defines. */
#define LIST(SITES) { .sites = (SITES), .count = sizeof(SITES) / sizeof(struct pm_site) }

/** Compares two lists that differ in one stack; returns the change. */
static struct pm_site_change compare_one(const struct pm_site_list *before,
                                         const struct pm_site_list *after)
{
	struct pm_site_change *changes, change;
	struct pm_error error;
	size_t count;

	must(pm_site_list_compare(before, after, &changes, &count, &error), &error);
	assert_int_equal(count, 1);
	change = changes[0];
	free(changes);
	return change;
}

/** Returns whether two stacks of one frame are compared as the same stack. */
static bool is_same(struct pm_frame one, struct pm_frame other)
{
	struct pm_site before[] = { { .stack = { &one, 1, false }, .resident = 4096 } };
	struct pm_site after[] = { { .stack = { &other, 1, true }, .resident = 4096 } };
	const struct pm_site_list was = LIST(before), is = LIST(after);
	struct pm_site_change *changes;
	struct pm_error error;
	size_t count;

	must(pm_site_list_compare(&was, &is, &changes, &count, &error), &error);
	free(changes);
	assert_true(count == 0 || count == 2);
	return count == 0;
}

static void stacks_are_compared_by_names(void **state)
{
	const struct pm_frame grow = { .function = "grow", .module = SHOP, .address = 0x1000 };
	const struct pm_frame moved = { .function = "grow", .module = SHOP, .address = 0x2000 };
	const struct pm_frame other = { .function = "shrink", .module = SHOP };
	const struct pm_frame elsewhere = { .function = "grow", .module = "/usr/bin/shopper" };
	const struct pm_frame folder = { .function = "grow", .module = "/opt/shop" };
	const struct pm_frame deleted = { .function = "grow", .module = SHOP " (deleted)" };
	const struct pm_frame generated = { .function = "grow" };

	(void)state;
	assert_true(is_same(grow, moved));
	assert_true(is_same(grow, folder));
	assert_true(is_same(grow, deleted));
	assert_false(is_same(grow, other));
	assert_false(is_same(grow, elsewhere));
	assert_false(is_same(grow, generated));
}

static void versions_of_libraries_are_not_compared(void **state)
{
	const struct pm_frame one = { .function = "f", .module = "/lib/libz.so.1.2.13" };
	const struct pm_frame other = { .function = "f", .module = "/opt/libz.so.2" };
	const struct pm_frame longer = { .function = "f", .module = "/lib/libzz.so.1" };

	(void)state;
	assert_true(is_same(one, other));
	assert_false(is_same(one, longer));
}

static void code_without_a_name_is_compared_by_its_place_in_the_file(void **state)
{
	const struct pm_frame one = { .module = SHOP, .module_address = 16, .address = 1 };
	const struct pm_frame same = { .module = SHOP, .module_address = 16, .address = 2 };
	const struct pm_frame other = { .module = SHOP, .module_address = 17, .address = 1 };
	const struct pm_frame nowhere = { .address = 5 }, else_where = { .address = 6 };

	(void)state;
	assert_true(is_same(one, same));
	assert_false(is_same(one, other));
	assert_false(is_same(one, nowhere));
	/* Generated code has another address in each run. */
	assert_true(is_same(nowhere, else_where));
}

/** Two calls in the same function, and memory that was mapped before the trace. */
static void sites_of_the_same_functions_are_added_up(void **state)
{
	const struct pm_frame first = { .function = "grow", .module = SHOP, .address = 1 };
	const struct pm_frame second = { .function = "grow", .module = SHOP, .address = 2 };
	struct pm_site before[] = {
		{ .stack = { &first, 1, false }, .resident = 10, .mapped = 20, .calls = 1 },
	};
	struct pm_site after[] = {
		{ .stack = { &first, 1, false }, .resident = 100, .mapped = 200, .calls = 3 },
		{ .stack = { &second, 1, false },
		  .resident = 1000,
		  .mapped = 2000,
		  .calls = 5,
		  .regions = 7,
		  .faults = 9 },
	};
	const struct pm_site_list was = LIST(before), is = LIST(after);
	struct pm_site_change change = compare_one(&was, &is);

	(void)state;
	assert_ptr_equal(change.before.site, &before[0]);
	assert_ptr_equal(change.after.site, &after[1]);
	assert_int_equal(change.resident, 1090);
	assert_int_equal(change.after.resident, 1100);
	assert_int_equal(change.after.mapped, 2200);
	assert_int_equal(change.after.calls, 8);
	assert_int_equal(change.after.regions, 7);
	assert_int_equal(change.after.faults, 9);
	assert_int_equal(change.before.mapped, 20);

	/* Touched memory is another site than mapped memory, even of the same function. */
	after[0].before = true;
	after[1].before = true;
	struct pm_site_change *changes;
	struct pm_error error;
	size_t count;
	must(pm_site_list_compare(&was, &is, &changes, &count, &error), &error);
	assert_int_equal(count, 2);
	assert_int_equal(changes[0].resident, 1100);
	assert_null(changes[0].before.site);
	assert_int_equal(changes[1].resident, -10);
	assert_null(changes[1].after.site);
	free(changes);
}

static void what_a_list_left_out_makes_changes_uncertain(void **state)
{
	const struct pm_frame frame = { .function = "grow", .module = SHOP };
	struct pm_site after[] = { { .stack = { &frame, 1, false }, .resident = 100 } };
	struct pm_site_list is = LIST(after);
	const struct pm_site_list was = { .bound = 30 };

	(void)state;
	is.bound = 5;
	assert_int_equal(compare_one(&was, &is).uncertain, 30);
	assert_int_equal(compare_one(&is, &was).uncertain, 30);
}

static void changes_of_addresses_without_memory_are_changes(void **state)
{
	const struct pm_frame frame = { .function = "reserve", .module = SHOP };
	struct pm_site after[] = { { .stack = { &frame, 1, false }, .mapped = 1 << 30 } };
	const struct pm_site_list was = { 0 }, is = LIST(after);
	struct pm_site_change change = compare_one(&was, &is);

	(void)state;
	assert_int_equal(change.resident, 0);
	assert_int_equal(change.after.mapped, 1 << 30);
}

/** A list is independent of the stacks that it was made of. */
static void a_list_outlives_the_trace(void **state)
{
	static const uint64_t addresses[] = { 0x1000, 0x2000 };
	struct pm_trace_site sites[] = {
		{ .resident = 1 << 20, .before = true },
		{ .tid = 7, .resident = 4096, .mapped = 8192, .calls = 3, .regions = 2 },
	};
	const struct pm_trace_result result = {
		.sites = sites, .count = 2, .before_start = 5, .before_now = 6, .seconds = 1.5
	};
	struct pm_stacks *stacks;
	struct pm_site_list list;
	struct pm_error error;

	(void)state;
	must(pm_stacks_open(&stacks, &error), &error);
	must(pm_stacks_add(stacks, addresses, 2, true, &sites[1].stack, &error), &error);
	must(pm_site_list_make(&result, stacks, &list, &error), &error);
	pm_stacks_close(stacks);

	assert_int_equal(list.count, 2);
	assert_true(list.seconds == 1.5);
	assert_int_equal(list.before_start, 5);
	assert_int_equal(list.before_now, 6);
	assert_true(list.sites[0].before && list.sites[0].stack.count == 0);
	assert_int_equal(list.sites[1].tid, 7);
	assert_int_equal(list.sites[1].mapped, 8192);
	assert_int_equal(list.sites[1].stack.count, 2);
	assert_true(list.sites[1].stack.cut);
	assert_true(list.sites[1].stack.frames[1].address == 0x2000);
	pm_site_list_deinit(&list);
	assert_int_equal(list.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_compared_by_names),
		cmocka_unit_test(versions_of_libraries_are_not_compared),
		cmocka_unit_test(code_without_a_name_is_compared_by_its_place_in_the_file),
		cmocka_unit_test(sites_of_the_same_functions_are_added_up),
		cmocka_unit_test(what_a_list_left_out_makes_changes_uncertain),
		cmocka_unit_test(changes_of_addresses_without_memory_are_changes),
		cmocka_unit_test(a_list_outlives_the_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
