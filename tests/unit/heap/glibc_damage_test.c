/* SPDX-License-Identifier: MIT */
/* Heaps of glibc of which a write of the program has damaged a structure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "heap/heap.h"
#include "support/fake_heap.h"

enum {
	SYSTEM = 0x888, /* offset of system_mem in malloc_state; max_system_mem follows */
	TOP = 0x60,
	SBRK_BASE = 0x260, /* offset of mp_.sbrk_base in FAKE_DATA */
};

static int setup(void **state)
{
	struct fake_heap *fake = calloc(1, sizeof *fake);

	assert_non_null(fake);
	fake_heap_init(fake, FAKE_GLIBC_236);
	*state = fake;
	return 0;
}

static int teardown(void **state)
{
	fake_heap_deinit(*state);
	free(*state);
	return 0;
}

/** Returns whether a break of an arena has a reason. */
static bool has_break(const struct pm_heap *heap, uint32_t arena, const char *why)
{
	for (size_t i = 0; i < heap->break_count; i++)
		if (heap->breaks[i].arena == arena && strcmp(heap->breaks[i].why, why) == 0)
			return true;
	return false;
}

/** mp_ says that the brk heap is where the heap of the second arena is. */
static void heaps_that_overlap(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t main = fake_heap_address(FAKE_DATA) + FAKE_MAIN;
	const uint64_t arena = fake_heap_address(FAKE_ARENA);

	fake_heap_put(fake, main + TOP, arena + FAKE_PART_SIZE - fake->top[1]);
	fake_heap_put(fake, fake_heap_address(FAKE_DATA) + SBRK_BASE, arena);

	struct pm_heap *heap = fake_heap_open(fake, true);
	assert_false(heap->complete);
	assert_true(has_break(heap, 0, "two heaps, or a heap and a mapped chunk, overlap"));
	pm_heap_close(heap);
}

static void chunks_that_exceed_the_arena(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t arena = fake_heap_address(FAKE_ARENA) + 0x30;

	fake_heap_put(fake, arena + SYSTEM, FAKE_PART_SIZE / 2);

	struct pm_heap *heap = fake_heap_open(fake, true);
	assert_false(heap->complete);
	assert_true(heap->arenas[0].complete);
	assert_false(heap->arenas[1].complete);
	assert_true(has_break(heap, 1, "the chunks that were found exceed the size of the arena"));
	assert_int_equal(heap->arenas[1].overhead, 0);
	pm_heap_close(heap);
}

/** Puts a chunk in use into a list of the tcache of the main arena. */
static void put_cached(struct fake_heap *fake, uint64_t chunk, unsigned bin, uint16_t count)
{
	const uint64_t tcache = fake_heap_address(FAKE_BRK) + 16;

	memcpy(fake_heap_bytes(fake, tcache + UINT64_C(2) * bin), &count, sizeof count);
	fake_heap_put(fake, tcache + 128 + UINT64_C(8) * bin, chunk + 16);
	fake_heap_put(fake, chunk + 16, (chunk + 16) >> 12);
}

/** In a stopped process, a tcache cannot have changed. Its valid lists are shown. */
static void damaged_tcache(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t user = fake->user_chunk[0];

	put_cached(fake, fake_heap_address(FAKE_BRK) + 0x290, 2, 1);
	put_cached(fake, user + 0x90, 4, 1);
	put_cached(fake, user, 7, 5);

	for (int stopped = 0; stopped < 2; stopped++) {
		const char *why = stopped ? "the lists of a tcache are not valid"
		                          : "a tcache has changed each time that it was read";
		struct pm_heap *heap = fake_heap_open(fake, stopped);
		assert_int_equal(heap->breaks_total, 1);
		assert_true(has_break(heap, 0, why));
		assert_false(heap->breaks[0].chain);
		assert_in_range(heap->arenas[0].cached - heap->arenas[0].fast,
		                fake->cached[0] + 0x40 + 0x60,
		                fake->cached[0] + 0x40 + 0x60 + 0x90);
		pm_heap_close(heap);
	}
}

/** A running process has allocated a chunk from the top chunk since the walk, and has freed it. */
static void newer_chunk_in_tcache(void **state)
{
	struct fake_heap *fake = *state;

	const uint64_t top = fake_heap_address(FAKE_BRK) + FAKE_PART_SIZE - fake->top[0];

	put_cached(fake, top + 0x40, 7, 1);
	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = fake_heap_open(fake, stopped);
		assert_int_equal(heap->complete, !stopped);
		assert_int_equal(heap->breaks_total, stopped);
		assert_int_equal(heap->arenas[0].cached - heap->arenas[0].fast, fake->cached[0]);
		pm_heap_close(heap);
	}
}

/** A running process has allocated a chunk from a free chunk since the walk, and has freed it. */
static void newer_chunk_of_free_memory(void **state)
{
	struct fake_heap *fake = *state;

	/* In the middle: the pointers at the start of the free chunk are valid. */
	put_cached(fake, fake->free_chunk[0] + 0x40, 2, 1);
	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = fake_heap_open(fake, stopped);
		assert_int_equal(heap->complete, !stopped);
		assert_int_equal(heap->breaks_total, stopped);
		assert_int_equal(heap->arenas[0].cached - heap->arenas[0].fast, fake->cached[0]);
		assert_int_equal(heap->arenas[0].free, FAKE_FREE_SIZE);
		pm_heap_close(heap);
	}
}

static enum pm_chunk_state state_of(const struct pm_heap *heap, uint64_t address)
{
	struct pm_chunk chunk;

	assert_true(pm_heap_find(heap, address + 16, &chunk));
	assert_int_equal(chunk.address, address);
	return (enum pm_chunk_state)chunk.state;
}

/** One link of the only list is damaged: the chunks before it are cached ones. */
static void damaged_link(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t tcache = fake_heap_address(FAKE_BRK);
	const uint64_t first = tcache + 0x290 + 0x40, second = first + FAKE_CACHED_SIZE + 0x40;

	fake_heap_put(fake, second + 16, UINT64_C(0x4242424242424242));
	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = fake_heap_open(fake, stopped);
		assert_false(heap->complete);
		assert_false(heap->arenas[0].complete);
		assert_int_equal(heap->breaks_total, 1);
		assert_int_equal(heap->breaks[0].address, tcache);
		assert_int_equal(state_of(heap, first), PM_CHUNK_CACHED);
		assert_int_equal(state_of(heap, second), PM_CHUNK_CACHED);
		assert_int_equal(heap->arenas[0].cached - heap->arenas[0].fast,
		                 2 * FAKE_CACHED_SIZE);
		pm_heap_close(heap);
	}
}

/** The lists after a damaged one are read. */
static void lists_after_a_damaged_one(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t user = fake->user_chunk[0], first = fake_heap_address(FAKE_BRK) + 0x2d0;

	put_cached(fake, user + 0x90, 4, 1);
	put_cached(fake, user, 7, 1);
	fake_heap_put(fake, first + 16, UINT64_C(0x4242424242424242));
	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = fake_heap_open(fake, stopped);
		assert_int_equal(heap->breaks_total, 1);
		assert_int_equal(state_of(heap, first), PM_CHUNK_CACHED);
		assert_int_equal(state_of(heap, user), PM_CHUNK_CACHED);
		assert_int_equal(state_of(heap, user + 0x90), PM_CHUNK_CACHED);
		pm_heap_close(heap);
	}
}

/** Nothing is left of the tcache of the first thread. */
static void overwritten_tcache(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t tcache = fake_heap_address(FAKE_BRK);

	memset(fake_heap_bytes(fake, tcache + 16), 0x41, 0x280);
	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = fake_heap_open(fake, stopped);
		assert_false(heap->complete);
		assert_int_equal(heap->breaks_total, 1);
		assert_int_equal(heap->breaks[0].address, tcache);
		pm_heap_close(heap);
	}
}

/**
 * A second tcache of the main arena has one list, with a wrong length. The key of malloc in its
 * chunk shows that it is a tcache; without the key, it can be a chunk of the program.
 */
static void tcache_with_a_key(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t cached = fake_heap_address(FAKE_BRK) + 0x2d0, user = fake->user_chunk[0];
	const uint64_t other = user + 0x90, key = UINT64_C(0x1122334455667788);

	fake_heap_put(fake, other + 8, 0x290 | 1);
	fake_heap_put(fake, other + 0x298, (20 * 0x60 - 0x290) | 1);
	memset(fake_heap_bytes(fake, other + 16), 0, 0x280);
	*fake_heap_bytes(fake, other + 16 + 2 * 7) = 5;
	fake_heap_put(fake, other + 16 + 128 + 8 * 7, user + 16);
	fake_heap_put(fake, user + 16, (user + 16) >> 12);
	fake_heap_put(fake, cached + 24, key);

	struct pm_heap *heap = fake_heap_open(fake, true);
	assert_true(heap->complete);
	assert_int_equal(state_of(heap, user), PM_CHUNK_IN_USE);
	pm_heap_close(heap);

	fake_heap_put(fake, user + 24, key);
	heap = fake_heap_open(fake, true);
	assert_false(heap->complete);
	assert_int_equal(heap->breaks_total, 1);
	assert_int_equal(heap->breaks[0].address, other);
	assert_int_equal(state_of(heap, user), PM_CHUNK_CACHED);
	pm_heap_close(heap);
}

/** Makes the second chunk of the user a table of pointers, with zeros in front of them. Returns the
 * address of its first word. */
static uint64_t put_table(struct fake_heap *fake, uint64_t size)
{
	const uint64_t table = fake->user_chunk[0] + 0x90;

	fake_heap_put(fake, table + 8, size | 1);
	fake_heap_put(fake, table + size + 8, (20 * 0x60 - size) | 1);
	memset(fake_heap_bytes(fake, table + 16), 0, size - 16);
	return table + 16;
}

/**
 * A table of pointers has the size of a tcache of another version, and a pointer to a chunk in use
 * at the place for chunks of its size. The last round is that of a process in which nothing else
 * shows the version: the first chunk was given back to malloc, and mp_ is not found.
 */
static void table_of_another_size(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t user = fake->user_chunk[0], table = put_table(fake, 0x300);

	fake_heap_put(fake, table + 152 + 8 * 7, user + 16);
	memset(fake_heap_bytes(fake, user + 16), 0, 0x80);
	for (int round = 0; round < 3; round++) {
		if (round == 2) {
			memset(fake_heap_bytes(fake, fake_heap_address(FAKE_DATA) + 0x200), 0,
			       0x100);
			fake_heap_put(fake, fake_heap_address(FAKE_BRK) + 8, 0x230 | 1);
			fake_heap_put(fake, fake_heap_address(FAKE_BRK) + 0x238, 0x60 | 1);
		}

		struct pm_heap *heap = fake_heap_open(fake, round == 1);
		assert_int_equal(state_of(heap, user), PM_CHUNK_IN_USE);
		assert_string_not_equal(heap->version, "2.42");
		if (round < 2)
			assert_true(heap->complete);
		assert_false(has_break(heap, 0, "the lists of a tcache are not valid"));
		assert_false(has_break(heap, 0, "a tcache has changed each time that it was read"));
		pm_heap_close(heap);
	}
}

/** The main arena does not lead to its chunks: then nothing is said about a running process. */
static void lost_arena(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t main = fake_heap_address(FAKE_DATA) + FAKE_MAIN;
	struct pm_heap *heap = fake_heap_open(fake, false);

	assert_true(heap->complete);
	assert_false(heap->lost);
	pm_heap_close(heap);

	fake_heap_put(fake, main + 0x60, 0x10000);
	for (int stopped = 0; stopped < 2; stopped++) {
		heap = fake_heap_open(fake, stopped);
		assert_int_equal(heap->arenas[0].in_use, 0);
		assert_false(heap->complete);
		assert_int_equal(heap->lost, !stopped);
		pm_heap_close(heap);
	}
}

/** A table of pointers has the size of a tcache, and a pointer to a cached chunk. */
static void table_with_a_cached_chunk(void **state)
{
	struct fake_heap *fake = *state;
	const uint64_t cached = fake_heap_address(FAKE_BRK) + 0x2d0;
	const uint64_t table = put_table(fake, 0x290);

	for (uint64_t i = 0; i < 3; i++)
		fake_heap_put(fake, cached + i * (FAKE_CACHED_SIZE + 0x40) + 24,
		              UINT64_C(0x1122334455667788));
	fake_heap_put(fake, table + 128 + 8, cached + 16);
	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = fake_heap_open(fake, stopped);
		assert_true(heap->complete);
		assert_int_equal(heap->breaks_total, 0);
		assert_int_equal(state_of(heap, cached), PM_CHUNK_CACHED);
		pm_heap_close(heap);
	}
}

/** One bin of an arena does not have addresses. The chunks are found nevertheless. */
static void damaged_bin(void **state)
{
	struct fake_heap *fake = *state;
	static const uint64_t words[] = { 0, UINT64_C(0x4141414141414141) };
	const uint64_t main = fake_heap_address(FAKE_DATA) + FAKE_MAIN;

	for (size_t i = 0; i < 4; i++) {
		const uint64_t bin = main + 0x70 + 16 * 50;

		fake_heap_put(fake, bin, words[i / 2]);
		struct pm_heap *heap = fake_heap_open(fake, i % 2);
		assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
		assert_false(heap->complete);
		assert_int_equal(heap->breaks_total, 1);
		assert_int_equal(heap->breaks[0].address, bin);
		assert_false(pm_heap_index_of(heap)->unseen);
		assert_int_equal(heap->arenas[0].in_use, fake->in_use[0]);
		assert_int_equal(heap->arenas[1].in_use, fake->in_use[1]);
		pm_heap_close(heap);
	}
}

/** The first break of a heap is compared in two stops: it is the one of the chain of chunks. */
static void damaged_bin_and_chain(void **state)
{
	struct fake_heap *fake = *state;

	fake_heap_put(fake, fake_heap_address(FAKE_DATA) + FAKE_MAIN + 0x70 + 16 * 50, 0);
	fake_heap_put(fake, fake->user_chunk[1] + 8, UINT64_C(0x4141414141414141));

	struct pm_heap *heap = fake_heap_open(fake, true);
	assert_int_equal(heap->breaks[0].arena, 1);
	assert_true(heap->breaks[0].chain);
	assert_true(has_break(heap, 0, "a bin does not contain addresses of chunks"));
	pm_heap_close(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(heaps_that_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(chunks_that_exceed_the_arena, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_tcache, setup, teardown),
		cmocka_unit_test_setup_teardown(newer_chunk_in_tcache, setup, teardown),
		cmocka_unit_test_setup_teardown(newer_chunk_of_free_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_link, setup, teardown),
		cmocka_unit_test_setup_teardown(lists_after_a_damaged_one, setup, teardown),
		cmocka_unit_test_setup_teardown(overwritten_tcache, setup, teardown),
		cmocka_unit_test_setup_teardown(tcache_with_a_key, setup, teardown),
		cmocka_unit_test_setup_teardown(table_of_another_size, setup, teardown),
		cmocka_unit_test_setup_teardown(table_with_a_cached_chunk, setup, teardown),
		cmocka_unit_test_setup_teardown(lost_arena, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_bin, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_bin_and_chain, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
