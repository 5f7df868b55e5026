/* SPDX-License-Identifier: MIT */
/* Descriptions of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "watch/format.h"

static void expect(size_t regions, const char *detail, const char *words)
{
	const struct pm_track track = { .kind = PM_KIND_MALLOC,
		                        .mapping = "",
		                        .detail = detail,
		                        .regions = regions,
		                        .max_regions = regions };
	const struct watch_row row = { .track = &track };
	struct text text = { 0 };

	watch_format_describe(&row, &text);
	assert_string_equal(text_terminate(&text), words);
	text_deinit(&text);
}

/** The number of blocks of the displayed region and their place in it do not apply to the others.
 */
static void blocks_in_several_regions_have_no_count_and_no_place(void **state)
{
	(void)state;
	expect(12, "1 malloc chunk of 1.0M in the first 1.0M",
	       "malloc chunks of 1.0M in 12 regions");
	expect(3, "4 malloc chunks of 1.0M in the last 4.0M", "malloc chunks of 1.0M in 3 regions");
	expect(3, "40 malloc chunks, 1.0M to 3.0M in 48.0M",
	       "malloc chunks, 1.0M to 3.0M in 3 regions");
	expect(2, "1 malloc chunk of 16.0M", "malloc chunks of 16.0M in 2 regions");
	expect(2, "13 malloc chunks of 16.0M", "malloc chunks of 16.0M in 2 regions");
}

static void blocks_in_one_region_have_the_whole_detail(void **state)
{
	(void)state;
	expect(1, "1 malloc chunk of 1.0M in the first 1.0M",
	       "1 malloc chunk of 1.0M in the first 1.0M");
	expect(1, "13 malloc chunks of 16.0M", "13 malloc chunks of 16.0M");
}

/** The blocks of a leak may have several sizes. */
static void blocks_of_several_sizes_have_the_largest_size(void **state)
{
	(void)state;
	const struct pm_track track = {
		.kind = PM_KIND_MALLOC,
		.mapping = "",
		.detail = "2 malloc chunks of 1.0M",
		.regions = 12,
		.block_min = 1 << 20,
		.block_max = 3 << 20,
	};

	const struct watch_row row = { .track = &track };
	struct text text = { 0 };
	watch_format_describe(&row, &text);
	assert_string_equal(text_terminate(&text), "malloc chunks of up to 3.0M in 12 regions");
	text_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_in_several_regions_have_no_count_and_no_place),
		cmocka_unit_test(blocks_of_several_sizes_have_the_largest_size),
		cmocka_unit_test(blocks_in_one_region_have_the_whole_detail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
