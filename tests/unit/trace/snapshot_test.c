/* SPDX-License-Identifier: MIT */
/* The list of a trace against lists of regions that are not of the same moment. */
#include "trace/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/target.h"

static const uint64_t page = PM_TRACE_PAGE;
static const uint64_t base = (uint64_t)0x7f0000000000;

static struct pm_trace_space space;
static struct pm_trace_intervals *suspects;

static int begin(void **state)
{
	(void)state;
	const struct pm_range all = { 0, PM_TRACE_ADDRESS_END };
	const struct pm_trace_owner nobody = { 0 };
	struct pm_error error;

	must(pm_trace_space_init(&space, &error), &error);
	must(pm_trace_intervals_open(&suspects, &error), &error);
	must(pm_trace_intervals_set(suspects, all, nobody, &error), &error);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pm_trace_intervals_close(suspects);
	pm_trace_space_deinit(&space);
	return 0;
}

/** Sets pages in the list of the trace. */
static void add(uint64_t first, uint64_t pages)
{
	const struct pm_range range = { base + first * page, base + (first + pages) * page };
	const struct pm_trace_owner owner = { .stack = 3 };
	struct pm_error error;

	must(pm_trace_intervals_set(space.list, range, owner, &error), &error);
}

/** Compares the list with regions of one page each. The last number is -1. */
static struct pm_trace_difference compare(bool correct, const int *pages)
{
	struct pm_regions regions;
	struct pm_trace_difference difference;
	struct pm_error error;

	pm_regions_init(&regions);
	for (; *pages >= 0; pages++) {
		struct pm_region region = { .start = base + (uint64_t)*pages * page,
			                    .end = base + (uint64_t)(*pages + 1) * page };
		must(pm_regions_append(&regions, &region, &error), &error);
	}
	must(pm_trace_snapshot_compare(&space, &regions, correct, suspects, &difference, &error),
	     &error);
	pm_regions_deinit(&regions);
	return difference;
}

static bool contains(uint64_t number)
{
	struct pm_trace_interval interval;
	uint64_t address = base + number * page;

	return pm_trace_intervals_find(space.list, address, &interval) &&
	       interval.range.start <= address;
}

static void what_differs_each_time_is_a_difference(void **state)
{
	(void)state;
	const int regions[] = { 0, 2, 3, -1 };

	add(0, 2);
	struct pm_trace_difference found = compare(false, regions);
	assert_int_equal(found.list, page);
	assert_int_equal(found.regions, 2 * page);
	assert_false(contains(2));

	found = compare(true, regions);
	assert_int_equal(found.list, page);
	assert_int_equal(found.regions, 2 * page);
	assert_true(contains(0) && contains(2) && contains(3) && !contains(1));
}

/** A call that takes long can be in one of them only. Each time it is another call. */
static void what_differs_once_is_no_difference(void **state)
{
	(void)state;
	const int first[] = { 0, 2, -1 }, second[] = { 0, 1, 3, -1 };

	add(0, 2);
	struct pm_trace_difference found = compare(false, first);
	assert_int_equal(found.list, page);
	assert_int_equal(found.regions, page);

	found = compare(true, second);
	assert_int_equal(found.list, 0);
	assert_int_equal(found.regions, 0);
	assert_true(contains(1) && !contains(3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_differs_each_time_is_a_difference, begin, end),
		cmocka_unit_test_setup_teardown(what_differs_once_is_no_difference, begin, end),
	};
	return cmocka_run_group_tests_name("trace/snapshot", tests, NULL, NULL);
}
