/* SPDX-License-Identifier: MIT */
/* Sets of pages: ranges of a fixed list of regions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "content/page_set.h"

/* Addresses and blocks of a size that every page size divides. */
#define BLOCK ((uint64_t)64 << 10)
#define BASE  ((uint64_t)0x10000000)

static void add_region(struct pm_regions *regions, uint64_t first, uint64_t last)
{
	struct pm_region region = { .start = BASE + first * BLOCK,
		                    .end = BASE + last * BLOCK,
		                    .perms = PM_PERM_READ,
		                    .mapping = "",
		                    .why = "" };
	assert_int_equal(pm_regions_append(regions, &region, NULL), 0);
}

/** Makes the regions [0, 10), [10, 20), which continues it, and [30, 1000), in blocks. */
static int set_up(void **state)
{
	struct pm_regions *regions = calloc(1, sizeof *regions);

	pm_regions_init(regions);
	add_region(regions, 0, 10);
	add_region(regions, 10, 20);
	add_region(regions, 30, 1000);
	*state = regions;
	return 0;
}

static int tear_down(void **state)
{
	pm_regions_deinit(*state);
	free(*state);
	return 0;
}

static void add(struct pm_page_set *set, uint64_t first, uint64_t last,
                const struct pm_regions *regions)
{
	struct pm_range range = { BASE + first * BLOCK, BASE + last * BLOCK };
	assert_int_equal(pm_page_set_add(set, range, regions, NULL), 0);
}

static void expect(const struct pm_page_set *set, size_t index, uint64_t start, uint64_t end,
                   size_t region)
{
	assert_true(index < set->count);
	assert_int_equal(set->ranges[index].range.start, start);
	assert_int_equal(set->ranges[index].range.end, end);
	assert_int_equal(set->ranges[index].region, region);
}

static void ranges_are_split_at_regions(void **state)
{
	struct pm_page_set set = { 0 };

	add(&set, 5, 40, *state);
	assert_int_equal(set.count, 3);
	expect(&set, 0, BASE + 5 * BLOCK, BASE + 10 * BLOCK, 0);
	expect(&set, 1, BASE + 10 * BLOCK, BASE + 20 * BLOCK, 1);
	expect(&set, 2, BASE + 30 * BLOCK, BASE + 40 * BLOCK, 2);
	assert_int_equal(set.bytes, 25 * BLOCK);

	/* Empty, and where no region is. */
	add(&set, 50, 50, *state);
	add(&set, 2000, 3000, *state);
	assert_int_equal(set.count, 3);
	assert_int_equal(set.bytes, 25 * BLOCK);

	pm_page_set_deinit(&set);
	assert_int_equal(set.count, 0);
	assert_null(set.ranges);
}

static uint64_t sum(const struct pm_page_set *set)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < set->count; i++)
		bytes += pm_range_size(set->ranges[i].range);
	return bytes;
}

static void thinning_keeps_blocks_at_equal_distances(void **state)
{
	struct pm_page_set set = { 0 };

	/* Two ranges of 120 blocks in all. */
	add(&set, 0, 20, *state);
	add(&set, 100, 200, *state);
	assert_int_equal(pm_page_set_thin(&set, 120 * BLOCK, NULL), 0);
	assert_int_equal(sum(&set), 120 * BLOCK);

	assert_int_equal(pm_page_set_thin(&set, 12 * BLOCK, NULL), 0);
	assert_int_equal(set.bytes, 120 * BLOCK);
	assert_int_equal(sum(&set), 12 * BLOCK);
	assert_int_equal(set.count, 12);
	expect(&set, 0, BASE, BASE + BLOCK, 0);
	expect(&set, 1, BASE + 10 * BLOCK, BASE + 11 * BLOCK, 1);
	expect(&set, 2, BASE + 100 * BLOCK, BASE + 101 * BLOCK, 2);
	expect(&set, 11, BASE + 190 * BLOCK, BASE + 191 * BLOCK, 2);

	pm_page_set_deinit(&set);
}

static void thinning_keeps_at_least_one_block(void **state)
{
	struct pm_page_set set = { 0 };

	add(&set, 30, 1000, *state);
	assert_int_equal(pm_page_set_thin(&set, 0, NULL), 0);
	assert_int_equal(set.count, 1);
	expect(&set, 0, BASE + 30 * BLOCK, BASE + 31 * BLOCK, 2);
	pm_page_set_deinit(&set);
}

static void ranges_are_found_by_address(void **state)
{
	struct pm_page_set set = { 0 };

	assert_null(pm_page_set_find(&set, BASE));
	add(&set, 0, 1, *state);
	add(&set, 5, 6, *state);
	assert_ptr_equal(pm_page_set_find(&set, 0), &set.ranges[0]);
	assert_ptr_equal(pm_page_set_find(&set, BASE + BLOCK - 1), &set.ranges[0]);
	assert_ptr_equal(pm_page_set_find(&set, BASE + BLOCK), &set.ranges[1]);
	assert_null(pm_page_set_find(&set, BASE + 6 * BLOCK));
	pm_page_set_deinit(&set);
}

static void widening_crosses_only_regions_that_continue(void **state)
{
	uint64_t border = BASE + 10 * BLOCK;
	struct pm_page_set set = { 0 }, wide;

	add(&set, 10, 11, *state);
	add(&set, 11, 12, *state);
	add(&set, 19, 20, *state);
	add(&set, 30, 31, *state);
	assert_int_equal(pm_page_set_widen(&set, *state, &wide, NULL), 0);
	assert_int_equal(wide.bytes, set.bytes);

	/* The first two are adjacent and become one. After block 20 is nothing, nor before 30. */
	assert_int_equal(wide.count, 4);
	assert_int_equal(wide.ranges[0].region, 0);
	assert_int_equal(wide.ranges[0].range.end, border);
	assert_true(wide.ranges[0].range.start <= border - pm_page_set_margin());
	assert_true(wide.ranges[0].range.start > border - BLOCK * 2);
	assert_int_equal(wide.ranges[1].range.start, border);
	assert_true(wide.ranges[1].range.end > BASE + 12 * BLOCK);
	assert_int_equal(wide.ranges[2].range.end, BASE + 20 * BLOCK);
	assert_int_equal(wide.ranges[3].range.start, BASE + 30 * BLOCK);
	assert_int_equal(wide.ranges[3].region, 2);

	pm_page_set_deinit(&wide);
	pm_page_set_deinit(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ranges_are_split_at_regions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(thinning_keeps_blocks_at_equal_distances, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(thinning_keeps_at_least_one_block, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(ranges_are_found_by_address, set_up, tear_down),
		cmocka_unit_test_setup_teardown(widening_crosses_only_regions_that_continue, set_up,
		                                tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
