/* SPDX-License-Identifier: MIT */
/*
 * Blocks of malloc that are hard to recognise: merged with other memory by the kernel, and those of
 * 32-bit programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kinds/recount.h"
#include "support/detail_text.h"
#include "support/fake_memory.h"
#include "support/look.h"
#include "support/target.h"

static void blocks_around_something_else_are_found(void **state)
{
	(void)state;
	struct target target;
	struct look look;
	uint64_t lowest, chunk, end;
	struct pm_error error = { 0 };

	target_start(&target, "merged_chunks", NULL);
	target_range(&target, "lowest", &lowest, &end);
	target_range(&target, "chunk", &chunk, &end);
	look_open(&look, target.pid);

	const struct pm_region *region = &look.regions.items[look_region(&look, chunk)];
	assert_true(region->start <= lowest); /* merged by the kernel */

	struct pm_kinds_evidence evidence = { .process = look.process,
		                              .reader = &look.memory,
		                              .pagemap = look.pagemap };
	if (pm_kinds_assign(&look.regions, &evidence, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(region->kind, PM_KIND_MALLOC);
	assert_int_equal(region->proof, PM_PROOF_INFERRED);
	assert_non_null(
		strstr(detail_text(region), "2 malloc chunks, 24.0M down to 20.0M in 44.0M"));

	/* Looking for them must not have changed the target. */
	uint64_t resident = region->bytes[PM_SIZE_RSS];
	look_close(&look);
	look_open(&look, target.pid);
	assert_true(look.regions.items[look_region(&look, chunk)].bytes[PM_SIZE_RSS] == resident);
	look_close(&look);
	target_stop(&target);
}

static void chunks_of_32_bit_programs_are_walked(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	const uint64_t base = UINT64_C(0xf0000000);

	pm_regions_init(&regions);
	fake_memory_region(&regions, base + 4096, 3 * MIB, RW);

	/* prev_size 8 and size stand at 8 and 12. */
	for (uint64_t i = 0; i < 3; i++)
		fake_memory_put(&memory, base + 4096 + i * MIB + 8, 8 | (MIB - 8 + 2) << 32);

	fake_memory_assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_MALLOC);
	assert_int_equal(regions.items[0].proof, PM_PROOF_PROVEN);
	assert_string_equal(detail_text(&regions.items[0]), "3 malloc chunks of 1.0M");
	pm_regions_deinit(&regions);
}

/**
 * Counts again what has a number already.
 *
 * @param chunks  that are there
 * @param known   number of chunks that was known
 * @return        what is known then; the caller frees it
 */
static char *recount(unsigned chunks, unsigned known, bool grown)
{
	struct pm_regions before, after;
	struct fake_memory memory = { 0 };
	const uint64_t top = UINT64_C(0x7f0000000000), other = top + 64 * MIB;

	pm_regions_init(&before);
	pm_regions_init(&after);
	fake_memory_region(&before, top - (grown ? 1 : chunks) * MIB, (grown ? 1 : chunks) * MIB,
	                   RW);
	fake_memory_region(&after, top - chunks * MIB, chunks * MIB, RW);
	fake_memory_region(&after, other, MIB, RW);

	for (unsigned i = 0; i < chunks; i++)
		fake_memory_chunk(&memory, top - (i + 1) * MIB, MIB);

	fake_memory_chunk(&memory, other, MIB);
	struct pm_region *region = &after.items[0];
	region->kind = PM_KIND_MALLOC;
	region->detail = (struct pm_detail){ .type = PM_DETAIL_CHUNKS,
		                             .count = known,
		                             .chunks = { MIB, MIB, known * MIB } };

	/* Claimed by another rule: it is not examined. */
	after.items[1].kind = PM_KIND_STACK;
	after.items[1].detail = (struct pm_detail){ .type = PM_DETAIL_TEXT, .text = "mine" };
	if (pm_kinds_must_recount(&after, &before))
		assert_false(fake_memory_recount(&after, &before, &memory));
	assert_int_equal(region->kind, PM_KIND_MALLOC);
	assert_int_equal(after.items[1].kind, PM_KIND_STACK);
	assert_string_equal(detail_text(&after.items[1]), "mine");

	char *result = strdup(detail_text(region));
	pm_regions_deinit(&before);
	pm_regions_deinit(&after);

	return result;
}

static void expect_recount(unsigned chunks, unsigned known, bool grown, const char *expected)
{
	char *result = recount(chunks, known, grown);
	assert_string_equal(result, expected);
	free(result);
}

static void chunks_are_counted_again_where_a_region_grew(void **state)
{
	(void)state;
	expect_recount(3, 1, true, "3 malloc chunks of 1.0M");
	expect_recount(3, 1, false, "1 malloc chunk of 1.0M");
	/* Too many to be counted in each sample. */
	expect_recount(3, 4097, true, "4097 malloc chunks of 1.0M");
	expect_recount(200, 2, true, "200 malloc chunks of 1.0M");
}

/**
 * Gives regions that moved by a page the kind of a region nearby.
 *
 * @param kind     the assumed kind
 * @param regions  number of regions
 * @param chunk    they are blocks of malloc
 * @return         whether the recount finds the kind wrong
 */
static bool is_wrong(enum pm_kind kind, unsigned regions, bool chunk)
{
	struct pm_regions before, after;
	struct fake_memory memory = { 0 };

	pm_regions_init(&before);
	pm_regions_init(&after);
	for (unsigned i = 0; i < regions; i++) {
		uint64_t start = UINT64_C(0x7f0000000000) + i * 4 * MIB;
		fake_memory_region(&before, start, MIB, RW);
		fake_memory_region(&after, start + 4096, MIB, RW)->kind = (uint8_t)kind;
		if (chunk)
			fake_memory_chunk(&memory, start + 4096, MIB);
		else
			fake_memory_put(&memory, start + 4096, 0x1234567);
	}

	assert_true(pm_kinds_must_recount(&after, &before));
	bool wrong = fake_memory_recount(&after, &before, &memory);
	for (unsigned i = 0; i < regions; i++)
		assert_int_equal(after.items[i].kind, kind);

	pm_regions_deinit(&before);
	pm_regions_deinit(&after);

	return wrong;
}

/** Where a block was moved away other memory comes, and the other way round. */
static void replaced_memory_is_detected(void **state)
{
	(void)state;
	assert_true(is_wrong(PM_KIND_MALLOC, 1, false));
	assert_true(is_wrong(PM_KIND_ANON, 1, true));
	assert_false(is_wrong(PM_KIND_MALLOC, 1, true));
	assert_false(is_wrong(PM_KIND_ANON, 1, false));

	/* Too many to be examined one by one. */
	assert_false(is_wrong(PM_KIND_ANON, 16, false));
	assert_true(is_wrong(PM_KIND_ANON, 17, false));
}

/**
 * Returns the kind of a region of a core file that begins with a block of 1 MiB.
 *
 * @param filled  its other pages hold data
 * @return        its kind
 */
static enum pm_kind kind_behind_block(bool filled)
{
	struct pm_regions regions;
	struct fake_memory memory = { 0 };

	pm_regions_init(&regions);
	fake_memory_region(&regions, 0x7f0000000000, 8 * MIB, RW);
	fake_memory_chunk(&memory, 0x7f0000000000, MIB);

	for (uint64_t page = 256; filled && page < 2048; page += 7)
		for (uint64_t near = 0; near < 7 && memory.count < MADE_UP_WORDS; near += 2)
			fake_memory_put(&memory, 0x7f0000000000 + (page + near) * 4096 + 8, 0x1234);

	struct pm_reader reader = fake_memory_reader(&memory);
	const struct pm_kinds_evidence evidence = { .reader = &reader, .any_page = true };
	assert_int_equal(pm_kinds_assign(&regions, &evidence, NULL), 0);

	enum pm_kind kind = (enum pm_kind)regions.items[0].kind;
	if (kind == PM_KIND_MALLOC)
		assert_string_equal(detail_text(&regions.items[0]),
		                    "1 malloc chunk of 1.0M in the first 1.0M");
	pm_regions_deinit(&regions);

	return kind;
}

/** What was not in memory is zeros in a core file, and says nothing. */
static void blocks_before_untouched_memory_are_found_in_core_files(void **state)
{
	(void)state;
	assert_int_equal(kind_behind_block(false), PM_KIND_MALLOC);
	assert_int_equal(kind_behind_block(true), PM_KIND_ANON);
}

/** A rest that does not show in the size of the region is not reported: "in the first 16.0M". */
static void chunks_that_almost_fill_a_region_have_no_place(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };

	pm_regions_init(&regions);
	fake_memory_region(&regions, 0x7f0000000000, 16 * MIB + 4096, RW);
	fake_memory_chunk(&memory, 0x7f0000000000, 16 * MIB);

	struct pm_reader reader = fake_memory_reader(&memory);
	const struct pm_kinds_evidence evidence = { .reader = &reader, .any_page = true };
	assert_int_equal(pm_kinds_assign(&regions, &evidence, NULL), 0);
	assert_int_equal(regions.items[0].kind, PM_KIND_MALLOC);
	assert_string_equal(detail_text(&regions.items[0]), "1 malloc chunk of 16.0M");
	pm_regions_deinit(&regions);
}

/**
 * Whether a region of a core file with these chunks of the main arena, which fill its first 4096
 * bytes, is the brk heap.
 */
static bool is_heap(uint64_t region_size, unsigned chunks, uint64_t flags, bool dead)
{
	struct pm_regions regions;
	struct fake_memory memory = { 0 };

	pm_regions_init(&regions);
	fake_memory_region(&regions, 0x555555600000, region_size, RW);
	for (unsigned i = 0; i < chunks; i++)
		fake_memory_put(&memory, 0x555555600000 + i * (4096 / chunks) + 8,
		                4096 / chunks | flags);

	struct pm_reader reader = fake_memory_reader(&memory);
	const struct pm_kinds_evidence evidence = { .reader = &reader, .any_page = dead };
	assert_int_equal(pm_kinds_assign(&regions, &evidence, NULL), 0);

	bool heap = regions.items[0].kind == PM_KIND_HEAP;
	pm_regions_deinit(&regions);

	return heap;
}

static void the_brk_heap_without_a_name_is_walked(void **state)
{
	(void)state;
	assert_true(is_heap(4096, 4, 1, true));

	/* Living processes have a name for it. */
	assert_false(is_heap(4096, 4, 1, false));

	/*
	 * Zeros after the chunks, too few of them, a first one after free memory, and those of
	 * other arenas or mapped separately.
	 */
	assert_false(is_heap(8192, 4, 1, true));
	assert_false(is_heap(4096, 2, 1, true));
	assert_false(is_heap(4096, 4, 0, true));
	assert_false(is_heap(4096, 4, 5, true));
	assert_false(is_heap(4096, 4, 3, true));
	assert_false(is_heap(4096, 0, 1, true));
}

static void arenas_of_32_bit_programs_are_proven(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	const uint64_t base = UINT64_C(0xf0000000), used = 0x21000;

	pm_regions_init(&regions);
	fake_memory_region(&regions, base, used, RW);
	fake_memory_region(&regions, base + used, MIB - used, 0);
	fake_memory_put(&memory, base, base + 0x18); /* ar_ptr; prev 0 */
	fake_memory_put(&memory, base + 8, used | used << 32);
	fake_memory_assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ARENA);
	assert_int_equal(regions.items[0].proof, PM_PROOF_PROVEN);

	assert_string_equal(detail_text(&regions.items[0]), "arena 1 (f0000018), heap 1 of 1");
	assert_true(regions.items[1].arena == base + 0x18);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_around_something_else_are_found),
		cmocka_unit_test(chunks_of_32_bit_programs_are_walked),
		cmocka_unit_test(chunks_are_counted_again_where_a_region_grew),
		cmocka_unit_test(replaced_memory_is_detected),
		cmocka_unit_test(blocks_before_untouched_memory_are_found_in_core_files),
		cmocka_unit_test(chunks_that_almost_fill_a_region_have_no_place),
		cmocka_unit_test(the_brk_heap_without_a_name_is_walked),
		cmocka_unit_test(arenas_of_32_bit_programs_are_proven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
