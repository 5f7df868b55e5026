/* SPDX-License-Identifier: MIT */
/* What the bytes of a heap are for: a small heap in fake memory, in all versions of glibc. */
#include <procmem/chunk_parts.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/fake_heap.h"

enum {
	IN_USE = PM_CHUNK_PART_IN_USE,
	CACHED = PM_CHUNK_PART_CACHED,
	FREE = PM_CHUNK_PART_FREE,
	TOP = PM_CHUNK_PART_TOP,
	LINKS = PM_CHUNK_PART_LINKS,
	HEADER = PM_CHUNK_PART_HEADER,
	OUTSIDE = PM_CHUNK_PART_OUTSIDE,
	NONE = 0,
};

/** Checks a range: the chunk, 0 for none, and the parts inside and outside of it. */
static void expect(const struct pm_heap *heap, uint64_t start, uint64_t end, uint64_t chunk,
                   unsigned inside, unsigned outside)
{
	struct pm_chunk_parts parts;
	pm_chunk_parts_find(heap, (struct pm_range){ start, end }, &parts);

	assert_int_equal(parts.found, chunk != 0);
	if (parts.found)
		assert_int_equal(parts.chunk.address, chunk);
	assert_int_equal(parts.inside, inside);
	assert_int_equal(parts.outside, outside);
}

/** Checks each byte of a range that belongs to one part of a chunk, and the range as a whole. */
static void expect_part(const struct pm_heap *heap, uint64_t start, uint64_t end, uint64_t chunk,
                        unsigned part)
{
	for (uint64_t at = start; at < end; at++)
		expect(heap, at, at + 1, chunk, part, NONE);
	expect(heap, start, end, chunk, part, NONE);
}

/** A free chunk, the cached chunk before it, and the chunk in use after it. */
static void check_free(const struct fake_heap *fake, const struct pm_heap *heap, int arena)
{
	const uint64_t chunk = fake->free_chunk[arena], next = fake->user_chunk[arena];
	const bool fast = fake->version < FAKE_GLIBC_242;
	const uint64_t before = chunk - (fast ? FAKE_FAST_SIZE : 0x500);

	/* The first word of a header belongs to the chunk before it, unless that chunk is free. */
	expect_part(heap, chunk, chunk + 8, before, CACHED);
	expect_part(heap, chunk + 8, chunk + 16, chunk, HEADER);
	expect_part(heap, chunk + 16, chunk + 32, chunk, LINKS);
	expect_part(heap, chunk + 32, chunk + FAKE_FREE_SIZE, chunk, FREE);
	expect_part(heap, next, next + 16, next, HEADER);
	expect_part(heap, next + 16, next + 0x90 + 8, next, IN_USE);

	expect(heap, chunk, chunk + 16, before, CACHED, HEADER);
	expect(heap, chunk + 31, chunk + 33, chunk, LINKS | FREE, NONE);
	expect(heap, next - 1, next + 1, chunk, FREE, HEADER);
	expect(heap, next - 1, next + 17, chunk, FREE, HEADER | IN_USE);
	expect(heap, next + 15, next + 17, next, HEADER | IN_USE, NONE);
	expect(heap, chunk + 8, next + 0x90 + 17, chunk, HEADER | LINKS | FREE, HEADER | IN_USE);
}

/** Chunks in a tcache and in a fastbin. */
static void check_cached(const struct fake_heap *fake, const struct pm_heap *heap, int arena)
{
	const uint64_t fast = fake->fast_chunk[arena];
	const uint64_t cached = fast - FAKE_CACHED_SIZE;
	/* The key is known from 2.30 on. */
	const uint64_t links = fake->version >= FAKE_GLIBC_231 ? 16 : 8;

	expect_part(heap, cached + 8, cached + 16, cached, HEADER);
	expect_part(heap, cached + 16, cached + 16 + links, cached, LINKS);
	expect_part(heap, cached + 16 + links, cached + FAKE_CACHED_SIZE + 8, cached, CACHED);

	if (fake->version == FAKE_GLIBC_243) {
		expect_part(heap, fast + 16, fast + FAKE_FAST_SIZE + 8, fast, IN_USE);
		return;
	}
	expect_part(heap, fast + 16, fast + 24, fast, LINKS);
	expect_part(heap, fast + 24, fast + FAKE_FAST_SIZE + 8, fast, CACHED);
}

/** Top, the mapped chunk, and addresses that malloc has not allocated. */
static void check_ends(const struct fake_heap *fake, const struct pm_heap *heap)
{
	const uint64_t brk = fake_heap_address(FAKE_BRK), mapped = fake_heap_address(FAKE_MAPPED);
	const uint64_t end = brk + FAKE_PART_SIZE, top = end - fake->top[0];

	expect_part(heap, top + 8, top + 16, top, HEADER);
	expect_part(heap, top + 16, end, top, TOP);
	expect(heap, end - 1, end + 1, top, TOP, OUTSIDE);
	expect(heap, end, end + 100, 0, NONE, OUTSIDE);

	expect_part(heap, mapped, mapped + 16, mapped, HEADER);
	expect_part(heap, mapped + 16, mapped + FAKE_PART_SIZE, mapped, IN_USE);
	expect(heap, mapped - 50, mapped + 17, mapped, HEADER | IN_USE, OUTSIDE);

	expect(heap, brk - 1, brk + 17, brk, HEADER | IN_USE, OUTSIDE);
	expect(heap, brk, brk, 0, NONE, NONE);
	expect(heap, 0, UINT64_MAX, brk, HEADER | IN_USE,
	       IN_USE | CACHED | FREE | TOP | LINKS | HEADER | OUTSIDE);
	expect(heap, UINT64_MAX - 1, UINT64_MAX, 0, NONE, OUTSIDE);

	const uint64_t arena = heap->arenas[1].address;
	expect(heap, arena, arena + 8, 0, NONE, OUTSIDE);
}

static void all_versions(void **state)
{
	(void)state;
	struct fake_heap *fake = calloc(1, sizeof *fake);

	for (enum fake_glibc version = 0; version < FAKE_GLIBC_COUNT; version++) {
		fake_heap_init(fake, version);
		struct pm_heap *heap = fake_heap_open(fake, true);

		for (int arena = 0; arena < 2; arena++) {
			check_free(fake, heap, arena);
			check_cached(fake, heap, arena);
		}
		check_ends(fake, heap);

		pm_heap_close(heap);
		fake_heap_deinit(fake);
	}

	free(fake);
}

/** Where the chain of chunks is broken, no chunk is known. */
static void skipped_parts_are_not_known(void **state)
{
	(void)state;
	struct fake_heap *fake = calloc(1, sizeof *fake);

	fake_heap_init(fake, FAKE_GLIBC_236);
	const uint64_t chunk = fake->user_chunk[0], end = chunk + 0x90;
	fake_heap_put(fake, chunk + 8, 0x7ffffff0);
	struct pm_heap *heap = fake_heap_open(fake, true);

	assert_false(heap->complete);
	expect(heap, chunk + 16, chunk + 20, 0, NONE, PM_CHUNK_PART_UNKNOWN);
	expect(heap, chunk - 10, chunk + 20, fake->free_chunk[0], FREE, PM_CHUNK_PART_UNKNOWN);
	expect(heap, chunk + 16, end + 0x60 + 20, end, HEADER | IN_USE,
	       PM_CHUNK_PART_UNKNOWN | IN_USE | HEADER);
	expect(heap, fake_heap_address(FAKE_BRK) - 10, fake_heap_address(FAKE_BRK) - 5, 0, NONE,
	       OUTSIDE);

	pm_heap_close(heap);
	fake_heap_deinit(fake);
	free(fake);
}

/** A large free chunk has two more links, to chunks of other sizes. */
static void links_of_a_large_chunk(void **state)
{
	(void)state;
	enum { USED = 0x60, PREV_INUSE = 1, TOP_MEMBER = FAKE_MAIN + 0x60 };
	static const uint64_t sizes[] = { 0x3f0, 0x400 };
	struct fake_heap *fake = calloc(1, sizeof *fake);

	for (size_t i = 0; i < 2; i++) {
		const uint64_t size = sizes[i], links = i == 0 ? 16 : 32;
		fake_heap_init(fake, FAKE_GLIBC_236);
		const uint64_t chunk = fake_heap_address(FAKE_BRK) + FAKE_PART_SIZE - fake->top[0];
		const uint64_t used = chunk + size, top = used + USED;

		fake_heap_put(fake, chunk + 8, size | PREV_INUSE);
		fake_heap_put(fake, used, size);
		fake_heap_put(fake, used + 8, USED);
		fake_heap_put(fake, top + 8, (fake->top[0] - size - USED) | PREV_INUSE);
		fake_heap_put(fake, fake_heap_address(FAKE_DATA) + TOP_MEMBER, top);

		struct pm_heap *heap = fake_heap_open(fake, true);
		expect_part(heap, chunk + 16, chunk + 16 + links, chunk, LINKS);
		expect_part(heap, chunk + 16 + links, used, chunk, FREE);
		pm_heap_close(heap);
		fake_heap_deinit(fake);
	}

	free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all_versions),
		                            cmocka_unit_test(links_of_a_large_chunk),
		                            cmocka_unit_test(skipped_parts_are_not_known) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
