/* SPDX-License-Identifier: MIT */
/* Compares the index with a model: a sorted array of chunks that is searched linearly. */
#include "heap/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heap/lookup.h"

enum { HEADER = 16, OVERLAP = 8, ITEMS_MAX = 40000 };

/** A chunk of the model. */
struct item {
	uint64_t address; /* first address, also of the mapping of a mapped chunk */
	uint64_t size;
	uint64_t lead;
	uint32_t arena;
	unsigned state;
};

/** The model: chunks by ascending address. */
struct model {
	struct item items[ITEMS_MAX];
	uint32_t count;
	uint32_t header, overlap;
};

static struct model model;

static uint64_t random_state;

/** Returns a pseudo-random number (xorshift). */
static uint64_t roll(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void model_reset(uint32_t header, uint32_t overlap)
{
	model.count = 0;
	model.header = header;
	model.overlap = overlap;
}

static struct pm_heap_index new_index(void)
{
	return (struct pm_heap_index){ .header = model.header, .overlap = model.overlap };
}

static void model_add(uint64_t address, uint64_t size, uint64_t lead, uint32_t arena,
                      unsigned state)
{
	assert_true(model.count < ITEMS_MAX);
	model.items[model.count++] = (struct item){ address, size, lead, arena, state };
}

/** Adds a chunk to the model and to the index. */
static void add(struct pm_heap_index *index, uint64_t address, uint64_t size, uint32_t arena,
                unsigned state)
{
	pm_heap_index_add(index, address, size, state);
	model_add(address, size, 0, arena, state);
}

static uint64_t end_of(const struct item *item)
{
	bool overlaps = item->arena != PM_CHUNK_MAPPED && item->state != PM_CHUNK_TOP;
	return item->address + item->size + (overlaps ? model.overlap : 0);
}

static void expect_item(const struct pm_chunk *chunk, uint32_t number)
{
	const struct item *item = &model.items[number];

	assert_int_equal(chunk->number, number);
	assert_int_equal(chunk->address, item->address + item->lead);
	assert_int_equal(chunk->start, item->address + item->lead + model.header);
	assert_int_equal(chunk->end, end_of(item));
	assert_int_equal(chunk->size, item->size - item->lead);
	assert_int_equal(chunk->arena, item->arena);
	assert_int_equal(chunk->state, item->state);
}

/** Returns the item that contains an address, UINT32_MAX if there is none. */
static uint32_t model_find(uint64_t address)
{
	uint32_t found = UINT32_MAX;
	for (uint32_t i = 0; i < model.count; i++) {
		const struct item *item = &model.items[i];

		if (address >= item->address && address - item->address < item->size)
			found = i;
		/* The word after a chunk in use belongs to it, also if it lies in the next item. */
		if (item->state <= PM_CHUNK_CACHED && address >= item->address + item->size &&
		    address < end_of(item))
			return i;
	}

	return found;
}

/** Returns the item in use into which a pointer points, UINT32_MAX if there is none. */
static uint32_t model_points_to(uint64_t pointer)
{
	for (uint32_t i = 0; i < model.count; i++) {
		const struct item *item = &model.items[i];
		uint64_t start = item->address + item->lead + model.header;

		if (item->state == PM_CHUNK_IN_USE && pointer >= start && pointer < end_of(item))
			return i;
	}

	return UINT32_MAX;
}

/** Compares the answers of the index about an address with those of the model. */
static void expect_same(const struct pm_heap_index *index, uint64_t address, size_t *last)
{
	struct pm_chunk chunk = { 0 };
	uint32_t expected = model_find(address);

	assert_int_equal(pm_heap_index_find(index, address, &chunk), expected != UINT32_MAX);
	assert_int_equal(pm_heap_index_find(index, address, NULL), expected != UINT32_MAX);
	if (expected != UINT32_MAX)
		expect_item(&chunk, expected);

	assert_int_equal(pm_heap_index_points_to(index, address, last), model_points_to(address));
}

/** Visits all chunks in order, and some by number. */
static void expect_all(const struct pm_heap_index *index)
{
	struct pm_heap_cursor cursor = { 0 };
	struct pm_chunk chunk;
	uint32_t count = 0;

	assert_int_equal(index->chunks, model.count);
	for (; pm_heap_index_next(index, &cursor, &chunk); count++)
		expect_item(&chunk, count);
	assert_int_equal(count, model.count);
	assert_false(pm_heap_index_next(index, &cursor, &chunk));

	for (uint32_t i = 0; i < model.count; i++) {
		memset(&chunk, 0xff, sizeof chunk);
		pm_heap_index_chunk(index, i, &chunk);
		expect_item(&chunk, i);
	}
}

/** Compares the answers about addresses around chunks, and about random ones. */
static void expect_addresses(const struct pm_heap_index *index, unsigned samples)
{
	size_t last = 0;
	if (model.count == 0)
		return;

	for (unsigned i = 0; i < samples; i++) {
		const struct item *item = &model.items[roll(model.count)];
		uint64_t edge = item->address + (roll(2) ? item->size : 0);

		expect_same(index, edge + roll(64) - 32, &last);
		expect_same(index, item->address + roll(item->size), &last);
	}

	uint64_t low = model.items[0].address;
	for (uint64_t address = low - 40; address < low + 200; address++)
		expect_same(index, address, &last);
}

static uint64_t random_size(void)
{
	switch (roll(64)) {
	case 0:
		return 16 * (2 + roll(16 * 1024 - 2));
	case 1:
		return 16 * (2 + roll(512));
	default:
		return 16 * (2 + roll(20));
	}
}

/** Adds random chunks, at most up to `end`. Returns the address after the last one. */
static uint64_t add_random(struct pm_heap_index *index, uint64_t at, uint64_t end, uint32_t arena,
                           unsigned gap_one_in)
{
	while (model.count < ITEMS_MAX) {
		if (gap_one_in && roll(gap_one_in) == 0) {
			uint64_t gap = 16 * (1 + roll(roll(8) ? 3 : 5000));
			pm_heap_index_add(index, at, gap, PM_CHUNK_GAP);
			at += gap;
		}

		uint64_t size = random_size();
		if (at >= end || size > end - at)
			break;
		add(index, at, size, arena, (unsigned)roll(roll(3) ? 1 : 4));
		at += size;
	}

	return at;
}

static void segments_of_random_chunks(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		struct pm_heap_index index;
		uint64_t at = 0x555555000000 + 16 * roll(100);

		model_reset(HEADER, OVERLAP);
		index = new_index();
		for (uint32_t arena = 0; arena < 4; arena++) {
			uint64_t end = at + 16 * (1 + roll(4000));

			assert_non_null(pm_heap_index_add_segment(&index, at, end, arena, NULL));
			add_random(&index, at + 16 * roll(2), end, arena, (round % 3) * 10);
			at = end + 16 * roll(3);
		}

		assert_int_equal(pm_heap_index_finish(&index, NULL), 0);
		assert_int_equal(index.removed, 0);
		expect_all(&index);
		expect_addresses(&index, 300);
		pm_heap_index_deinit(&index);
	}
}

/** Enough chunks for several samples of pm_heap_segment.samples. */
static void long_segment(void **state)
{
	(void)state;
	struct pm_heap_index index;
	uint64_t start = 0x7f0000000030, end = start + (64 << 20);

	model_reset(HEADER, OVERLAP);
	index = new_index();
	assert_non_null(pm_heap_index_add_segment(&index, start, end, 0, NULL));
	add_random(&index, start, end, 0, 50);
	assert_true(model.count > 10 * PM_HEAP_SAMPLE);
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);
	assert_int_equal(index.count, 1);

	expect_all(&index);
	expect_addresses(&index, 300);
	pm_heap_index_deinit(&index);
}

static void large_chunks_have_their_own_segments(void **state)
{
	(void)state;
	struct pm_heap_index index;
	uint64_t at = 0x7f0000000000, gigabyte = 1 << 30;

	model_reset(HEADER, OVERLAP);
	index = new_index();
	assert_non_null(pm_heap_index_add_segment(&index, at, at + 64 * gigabyte, 3, NULL));
	for (unsigned i = 0; i < 40; i++) {
		uint64_t size = i % 2 ? gigabyte : 48;

		add(&index, at, size, 3, i % 4);
		at += size;
	}

	/* A gap of a gigabyte. */
	add(&index, at + gigabyte, 64, 3, PM_CHUNK_IN_USE);
	add(&index, at + gigabyte + 64, 2 * gigabyte, 3, PM_CHUNK_TOP);
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);
	assert_int_equal(index.count, 42);

	expect_all(&index);
	expect_addresses(&index, 500);
	pm_heap_index_deinit(&index);
}

static void largest_chunk_of_a_bitmap(void **state)
{
	(void)state;
	struct pm_heap_index index;
	uint64_t at = 0x7f0000000000;

	model_reset(HEADER, OVERLAP);
	index = new_index();
	assert_non_null(pm_heap_index_add_segment(&index, at, at + (1 << 20), 0, NULL));
	add(&index, at, 32, 0, 0);
	add(&index, at + 32, PM_HEAP_LARGE - 16, 0, 0);
	add(&index, at + 16 + PM_HEAP_LARGE, 32, 0, 0);
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);
	assert_int_equal(index.count, 1);

	expect_all(&index);
	expect_addresses(&index, 500);
	pm_heap_index_deinit(&index);
}

/** The two bits of a state may be in two blocks. */
static void states_at_the_end_of_a_block(void **state)
{
	(void)state;
	for (uint64_t units = 1; units < 130; units++) {
		struct pm_heap_index index;
		uint64_t at = 0x10000;

		model_reset(HEADER, OVERLAP);
		index = new_index();
		assert_non_null(pm_heap_index_add_segment(&index, at, at + 65536, 1, NULL));
		if (units >= 2)
			add(&index, at, 16 * units, 1, PM_CHUNK_IN_USE);
		for (unsigned i = 0; i < 4; i++)
			add(&index, at + 16 * (units + 2 * i), 32, 1, i);

		assert_int_equal(pm_heap_index_finish(&index, NULL), 0);
		expect_all(&index);
		pm_heap_index_deinit(&index);
	}
}

static void mapped_chunks(void **state)
{
	(void)state;
	struct pm_heap_index index;

	model_reset(HEADER, OVERLAP);
	index = new_index();
	/* Added in another order than that of their addresses. */
	assert_int_equal(pm_heap_index_add_mapped(&index, 0x7f0000300000, 0x200000, 0x1000, NULL),
	                 0);
	assert_int_equal(pm_heap_index_add_mapped(&index, 0x7f0000100000, 0x21000, 0, NULL), 0);
	assert_int_equal(pm_heap_index_add_mapped(&index, 0x7f0000121000, 0x40000, 0, NULL), 0);
	model_add(0x7f0000100000, 0x21000, 0, PM_CHUNK_MAPPED, 0);
	model_add(0x7f0000121000, 0x40000, 0, PM_CHUNK_MAPPED, 0);
	model_add(0x7f0000300000, 0x200000, 0x1000, PM_CHUNK_MAPPED, 0);
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);

	expect_all(&index);
	expect_addresses(&index, 1000);
	pm_heap_index_deinit(&index);
}

static void uniform_segments(void **state)
{
	(void)state;
	static const uint64_t sizes[] = { 8, 16, 48, 1280, 14336 };
	static uint64_t bitmap[8193 / 64 + 1];
	struct pm_heap_index index;
	uint64_t at = 0x7f0000000000;

	for (size_t i = 0; i < sizeof bitmap / 8; i++)
		bitmap[i] = roll(UINT64_MAX);
	model_reset(0, 0);
	index = new_index();
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t count = (uint32_t)(65536 / sizes[i]) + 1;
		const uint64_t *free_chunks = i == 2 ? NULL : bitmap;

		assert_int_equal(pm_heap_index_add_uniform(&index, at, sizes[i], count, free_chunks,
		                                           i, NULL),
		                 0);
		for (uint32_t n = 0; n < count; n++) {
			bool is_free = free_chunks && free_chunks[n / 64] >> n % 64 & 1;

			model_add(at + n * sizes[i], sizes[i], 0, i,
			          is_free ? PM_CHUNK_FREE : PM_CHUNK_IN_USE);
		}
		at += count * sizes[i] + roll(2) * 64;
	}

	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);
	expect_addresses(&index, 300);
	for (uint32_t i = 0; i < model.count; i++) {
		model.items[i].state = (unsigned)roll(4);
		pm_heap_index_set_state(&index, model.items[i].address, model.items[i].state);
	}

	expect_all(&index);
	expect_addresses(&index, 300);
	pm_heap_index_deinit(&index);
}

static void changed_states(void **state)
{
	(void)state;
	struct pm_heap_index index;
	uint64_t at = 0x555555000000;

	model_reset(HEADER, OVERLAP);
	index = new_index();
	assert_non_null(pm_heap_index_add_segment(&index, at, at + 400000, 0, NULL));
	at = add_random(&index, at, at + 400000, 0, 20);
	assert_non_null(pm_heap_index_add_segment(&index, at, at + 4000000, 0, NULL));
	add(&index, at, 4000000 / 16 * 16, 0, PM_CHUNK_IN_USE);
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);

	for (unsigned i = 0; i < 3000; i++) {
		uint32_t number = (uint32_t)roll(model.count);
		struct item *item = &model.items[number];

		item->state = (unsigned)roll(4);
		pm_heap_index_set_state(&index, item->address, item->state);
		/* Not the address of a chunk: nothing changes. */
		pm_heap_index_set_state(&index, item->address + 16, PM_CHUNK_FREE);
		pm_heap_index_set_state(&index, item->address + 8, PM_CHUNK_FREE);
		if (number > 0 &&
		    model.items[number - 1].address + model.items[number - 1].size < item->address)
			pm_heap_index_set_state(&index, item->address - 16, PM_CHUNK_IN_USE);
	}

	pm_heap_index_set_state(&index, 0x1000, PM_CHUNK_FREE);
	expect_all(&index);
	expect_addresses(&index, 1000);
	pm_heap_index_deinit(&index);
}

static void overlapping_segments_are_removed(void **state)
{
	(void)state;
	struct pm_heap_index index;
	uint64_t at = 0x555555000000;

	model_reset(HEADER, OVERLAP);
	index = new_index();
	assert_int_equal(pm_heap_index_add_mapped(&index, at + 0x1000, 0x1000, 0, NULL), 0);
	assert_non_null(pm_heap_index_add_segment(&index, at, at + 0x1010, 0, NULL));
	add(&index, at, 0x1010, 0, PM_CHUNK_IN_USE);
	assert_int_equal(pm_heap_index_add_mapped(&index, at + 0x1010, 0x2000, 0, NULL), 0);
	model_add(at + 0x1010, 0x2000, 0, PM_CHUNK_MAPPED, PM_CHUNK_IN_USE);
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);

	assert_int_equal(index.removed, 1);
	expect_all(&index);

	/* More chunks may be added afterwards. */
	assert_int_equal(pm_heap_index_add_mapped(&index, at + 0x10000, 0x2000, 0, NULL), 0);
	model_add(at + 0x10000, 0x2000, 0, PM_CHUNK_MAPPED, PM_CHUNK_IN_USE);
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);
	expect_all(&index);
	expect_addresses(&index, 100);
	pm_heap_index_deinit(&index);
}

static void invalid_chunks_are_ignored(void **state)
{
	(void)state;
	struct pm_heap_index index;
	uint64_t at = 0x555555000000;

	model_reset(HEADER, OVERLAP);
	index = new_index();
	pm_heap_index_add(&index, at, 32, PM_CHUNK_IN_USE);
	assert_non_null(pm_heap_index_add_segment(&index, at, at + 1024, 0, NULL));
	pm_heap_index_add(&index, at - 32, 32, PM_CHUNK_IN_USE);
	pm_heap_index_add(&index, at, 16, PM_CHUNK_IN_USE);
	pm_heap_index_add(&index, at, 40, PM_CHUNK_IN_USE);
	pm_heap_index_add(&index, at + 8, 32, PM_CHUNK_IN_USE);
	pm_heap_index_add(&index, at, 1040, PM_CHUNK_IN_USE);
	pm_heap_index_add(&index, at + 16, UINT64_MAX - 15, PM_CHUNK_IN_USE);
	pm_heap_index_add(&index, at + 1024, 32, PM_CHUNK_IN_USE);
	pm_heap_index_add(&index, at, 32, 4);
	add(&index, at + 64, 64, 0, PM_CHUNK_FREE);
	pm_heap_index_add(&index, at + 96, 64, PM_CHUNK_IN_USE);
	add(&index, at + 992, 32, 0, PM_CHUNK_IN_USE);

	assert_int_equal(pm_heap_index_add_mapped(&index, at + 4096, 16, 16, NULL), 0);
	assert_int_equal(pm_heap_index_add_mapped(&index, UINT64_MAX - 4095, 8192, 0, NULL), 0);
	assert_int_equal(pm_heap_index_add_uniform(&index, at + 4096, 0, 1, NULL, 0, NULL), 0);
	assert_int_equal(pm_heap_index_add_uniform(&index, at + 4096, 16, 0, NULL, 0, NULL), 0);
	assert_int_equal(pm_heap_index_add_uniform(&index, at, UINT64_MAX, 2, NULL, 0, NULL), 0);
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);

	expect_all(&index);
	expect_addresses(&index, 300);
	pm_heap_index_deinit(&index);
}

static void empty_index(void **state)
{
	(void)state;
	struct pm_heap_index index;
	size_t last = 0;

	model_reset(HEADER, OVERLAP);
	index = new_index();
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);
	expect_all(&index);
	expect_same(&index, 0, &last);
	expect_same(&index, 0x555555000000, &last);
	expect_same(&index, UINT64_MAX, &last);
	assert_null(pm_heap_index_segment(&index, 0));
	pm_heap_index_deinit(&index);
}

static int seed(void **state)
{
	(void)state;
	random_state = UINT64_C(0x9e3779b97f4a7c15);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(segments_of_random_chunks, seed),
		cmocka_unit_test_setup(long_segment, seed),
		cmocka_unit_test_setup(large_chunks_have_their_own_segments, seed),
		cmocka_unit_test_setup(largest_chunk_of_a_bitmap, seed),
		cmocka_unit_test_setup(states_at_the_end_of_a_block, seed),
		cmocka_unit_test_setup(mapped_chunks, seed),
		cmocka_unit_test_setup(uniform_segments, seed),
		cmocka_unit_test_setup(changed_states, seed),
		cmocka_unit_test_setup(overlapping_segments_are_removed, seed),
		cmocka_unit_test_setup(invalid_chunks_are_ignored, seed),
		cmocka_unit_test_setup(empty_index, seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
