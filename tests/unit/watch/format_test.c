/* SPDX-License-Identifier: MIT */
/* Descriptions of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "watch/format.h"

enum { MIB = 1 << 20 };

static void expect(size_t regions, const struct pm_detail *detail, const char *words)
{
	const struct pm_track track = { .kind = PM_KIND_MALLOC,
		                        .mapping = "",
		                        .detail = *detail,
		                        .regions = regions,
		                        .max_regions = regions };
	const struct watch_row row = { .track = &track };
	struct text text = { 0 };

	watch_format_describe(&row, &text);
	assert_string_equal(text_terminate(&text), words);
	text_deinit(&text);
}

static struct pm_detail chunks(uint32_t count, uint64_t smallest, uint64_t largest,
                               enum pm_chunk_place place, uint64_t covered)
{
	return (struct pm_detail){ .type = PM_DETAIL_CHUNKS,
		                   .place = (uint8_t)place,
		                   .count = count,
		                   .chunks = { smallest, largest, covered } };
}

/** The number of blocks of the displayed region and their place in it do not apply to the others.
 */
static void blocks_in_several_regions_have_no_count_and_no_place(void **state)
{
	(void)state;
	struct pm_detail detail = chunks(1, MIB, MIB, PM_CHUNKS_FIRST, MIB);
	expect(12, &detail, "malloc chunks of 1.0M in 12 regions");
	detail = chunks(4, MIB, MIB, PM_CHUNKS_LAST, 4 * MIB);
	expect(3, &detail, "malloc chunks of 1.0M in 3 regions");
	detail = chunks(40, MIB, 3 * MIB, PM_CHUNKS_SCATTERED, 48 * MIB);
	expect(3, &detail, "malloc chunks, 1.0M to 3.0M in 3 regions");
	detail = chunks(1, 16 * MIB, 16 * MIB, PM_CHUNKS_FILL, 16 * MIB);
	expect(2, &detail, "malloc chunks of 16.0M in 2 regions");
	detail = chunks(13, 16 * MIB, 16 * MIB, PM_CHUNKS_FILL, 208 * MIB);
	expect(2, &detail, "malloc chunks of 16.0M in 2 regions");
}

static void blocks_in_one_region_have_the_whole_detail(void **state)
{
	(void)state;
	struct pm_detail detail = chunks(1, MIB, MIB, PM_CHUNKS_FIRST, MIB);
	expect(1, &detail, "1 malloc chunk of 1.0M in the first 1.0M");
	detail = chunks(13, 16 * MIB, 16 * MIB, PM_CHUNKS_FILL, 208 * MIB);
	expect(1, &detail, "13 malloc chunks of 16.0M");
}

/** Recordings of early versions have only the text of a detail. */
static void blocks_of_an_old_recording_have_no_size(void **state)
{
	(void)state;
	const struct pm_detail detail = { .type = PM_DETAIL_TEXT,
		                          .text = "4 malloc chunks of 1.0M" };
	expect(1, &detail, "4 malloc chunks of 1.0M");
	expect(3, &detail, "malloc chunks in 3 regions");
}

/** The blocks of a leak may have several sizes. */
static void blocks_of_several_sizes_have_the_largest_size(void **state)
{
	(void)state;
	const struct pm_track track = {
		.kind = PM_KIND_MALLOC,
		.mapping = "",
		.detail = chunks(2, MIB, MIB, PM_CHUNKS_FILL, 2 * MIB),
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
		cmocka_unit_test(blocks_of_an_old_recording_have_no_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
