/* SPDX-License-Identifier: MIT */
/* jemalloc in fake memory, in all layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <procmem/chunk_parts.h>
#include <procmem/heap.h>
#include <procmem/survivors.h>

#include "heap/heap.h"
#include "support/fake_jemalloc.h"
#include "support/target.h"

static void all_layouts(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * FAKE_JEMALLOC_VERSIONS; i++) {
		struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[i / 2]);
		f->three_levels = i % 2;
		fake_jemalloc_link(f);
		fake_jemalloc_fill(f);

		struct pm_heap *heap = fake_jemalloc_open(f);
		assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_JEMALLOC);
		assert_string_equal(heap->version, fake_jemalloc_versions[i / 2].name);
		assert_true(heap->complete);
		assert_false(heap->unused);
		assert_int_equal(heap->breaks_total, 0);
		assert_int_equal(heap->arena_count, 2);
		fake_jemalloc_expect(f, heap);
		pm_heap_close(heap);
		fake_jemalloc_destroy(f);
	}
}

/** The chunks of one slab, region by region. */
static void regions_of_a_slab(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
	uint64_t start = fake_jemalloc_first + 5 * FAKE_PAGE;

	fake_jemalloc_add_slab(f, 3, 0);
	fake_jemalloc_add_slab(f, 1, 3);
	fake_jemalloc_add_large(f, 0x340);

	struct pm_heap *heap = fake_jemalloc_open(f);
	for (uint32_t i = 0; i < 3 * FAKE_PAGE / 48; i++) {
		uint64_t address = start + i * 48;
		bool free = f->base[FAKE_EXTENTS + 64 + i / 8] >> i % 8 & 1;
		struct pm_chunk chunk;

		for (unsigned offset = 0; offset < 48; offset += 47) {
			assert_true(pm_heap_find(heap, address + offset, &chunk));
			assert_int_equal(chunk.start, address);
			assert_int_equal(chunk.address, address);
			assert_int_equal(chunk.end, address + 48);
			assert_int_equal(chunk.size, 48);
			assert_int_equal(chunk.number, i);
			assert_int_equal(chunk.arena, 0);
			assert_int_equal(chunk.state, free ? PM_CHUNK_FREE : PM_CHUNK_IN_USE);
		}
	}

	struct pm_chunk chunk;
	assert_true(pm_heap_find(heap, start + 3 * FAKE_PAGE, &chunk));
	assert_int_equal(chunk.size, 16);
	assert_int_equal(chunk.arena, 1);
	assert_false(pm_heap_find(heap, start + 4 * FAKE_PAGE + 0x33f, NULL));
	assert_true(pm_heap_find(heap, start + 4 * FAKE_PAGE + 0x340, &chunk));
	assert_int_equal(chunk.size, 16384);
	assert_false(pm_heap_find(heap, start + 4 * FAKE_PAGE + 0x340 + 16384, NULL));
	pm_heap_close(heap);
	fake_jemalloc_destroy(f);
}

/** The content of a large allocation that was freed is in unused pages. */
static void unused_pages_are_free(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
	uint64_t first = fake_jemalloc_first + 5 * FAKE_PAGE, slab = first + 3 * FAKE_PAGE,
		 second = slab + 3 * FAKE_PAGE;

	fake_jemalloc_add_unused(f, 3, 1);
	fake_jemalloc_add_slab(f, 3, 0);
	fake_jemalloc_add_unused(f, 20, 2);
	fake_jemalloc_add_unused(f, 4, 3);
	fake_jemalloc_add_large(f, 0);

	struct pm_heap *heap = fake_jemalloc_open(f);
	/* States: 1 dirty, 2 muzzy, 3 retained */
	assert_int_equal(heap->total.unused_pages, 23 * FAKE_PAGE);
	assert_int_equal(heap->total.muzzy, 20 * FAKE_PAGE);
	assert_int_equal(heap->total.retained, 4 * FAKE_PAGE);
	assert_int_equal(heap->arenas[0].muzzy, 20 * FAKE_PAGE);

	const struct {
		struct pm_range range;
		unsigned inside, outside;
		uint64_t chunk;
	} expected[] = {
		{ { first, first + 1 }, PM_CHUNK_PART_FREE, 0, first },
		{ { slab - 1, slab }, PM_CHUNK_PART_FREE, 0, first },
		{ { second, second + 20 * FAKE_PAGE }, PM_CHUNK_PART_FREE, 0, second },
		{ { second + 20 * FAKE_PAGE, second + 21 * FAKE_PAGE },
		  PM_CHUNK_PART_FREE,
		  0,
		  second + 20 * FAKE_PAGE },
		{ { second + 24 * FAKE_PAGE - 1, second + 24 * FAKE_PAGE + 1 },
		  PM_CHUNK_PART_FREE,
		  PM_CHUNK_PART_IN_USE,
		  second + 20 * FAKE_PAGE },
		{ { first - 10, first + 1 }, PM_CHUNK_PART_FREE, PM_CHUNK_PART_OUTSIDE, first },
	};

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct pm_chunk_parts parts;
		pm_chunk_parts_find(heap, expected[i].range, &parts);
		assert_true(parts.found);
		assert_int_equal(parts.chunk.start, expected[i].chunk);
		assert_int_equal(parts.inside, expected[i].inside);
		assert_int_equal(parts.outside, expected[i].outside);
	}

	pm_heap_close(heap);
	fake_jemalloc_destroy(f);
}

/** Extents whose fields do not agree are not counted. */
static void damage_is_reported(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);

	fake_jemalloc_fill(f);
	struct fake_jemalloc before = *f;
	size_t offset = FAKE_EXTENTS + f->extents * 128;

	/* One more free region than the bitmap has */
	fake_jemalloc_add_slab(f, 3, 0);
	f->base[offset + 3] ^= 0x10;
	struct pm_heap *heap = fake_jemalloc_open(f);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_JEMALLOC);
	assert_false(heap->complete);
	/* The entries of all of its three pages */
	assert_int_equal(heap->breaks_total, 3);
	assert_int_equal(heap->break_count, 3);
	assert_int_equal(heap->breaks[1].address,
	                 fake_jemalloc_first + (f->next_page - 2) * FAKE_PAGE);
	assert_non_null(strstr(heap->breaks[1].why, "valid extent"));
	fake_jemalloc_expect(&before, heap);
	pm_heap_close(heap);

	/* An extent that is being split */
	fake_jemalloc_put(f->base + offset, 4 << 17);
	heap = fake_jemalloc_open(f);
	assert_false(heap->complete);
	assert_non_null(strstr(heap->breaks[0].why, "splitting"));
	fake_jemalloc_expect(&before, heap);
	pm_heap_close(heap);
	fake_jemalloc_destroy(f);
}

/** Walks over the heap to find what has survived. */
static void walk(struct fake_jemalloc *f, struct pm_survivors *survivors)
{
	struct pm_error error;
	struct pm_heap *heap = fake_jemalloc_open(f);
	must(pm_survivors_walk(survivors, heap, &error), &error);
	pm_heap_close(heap);
}

/** A slab that the first walk did not see is not new in the second. */
static void hidden_slabs_are_not_new(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
	struct pm_chunk_types *types;
	struct pm_survivors *survivors;
	struct pm_error error;

	fake_jemalloc_fill(f);
	unsigned char *extent = f->base + FAKE_EXTENTS + f->extents * 128;
	fake_jemalloc_add_slab(f, 3, 0);
	extent[3] ^= 0x10;

	const struct pm_chunk_type_source source = { .memory = &f->source };
	must(pm_chunk_types_open(&source, &types, &error), &error);
	must(pm_survivors_open(types, NULL, &survivors, &error), &error);
	walk(f, survivors);
	extent[3] ^= 0x10;
	walk(f, survivors);
	walk(f, survivors);

	assert_true(pm_survivors_total(survivors, 1).count >
	            pm_survivors_total(survivors, 0).count);
	assert_int_equal(pm_survivors_count(survivors), 0);
	assert_true(pm_survivors_are_certain(survivors));
	pm_survivors_close(survivors);
	pm_chunk_types_close(types);
	fake_jemalloc_destroy(f);
}

static void expect_unknown(struct fake_jemalloc *f)
{
	struct pm_heap *heap = fake_jemalloc_open(f);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_int_equal(heap->chunk_count, 0);
	assert_int_equal(heap->arena_count, 0);
	assert_false(heap->complete);
	pm_heap_close(heap);
}

static void without_a_tree(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);

	/* No extents */
	expect_unknown(f);
	/* A pointer in another entry of the root */
	fake_jemalloc_fill(f);
	fake_jemalloc_put(f->bss + FAKE_ROOT + (fake_jemalloc_first / (UINT64_C(1) << 30)) * 8, 0);
	expect_unknown(f);
	/* A leaf whose entries do not fit its extents */
	fake_jemalloc_put(f->bss + FAKE_ROOT + (fake_jemalloc_first / (UINT64_C(1) << 30)) * 8,
	                  fake_jemalloc_base + FAKE_LEAF + 64);
	expect_unknown(f);
	fake_jemalloc_destroy(f);
}

/** Returns the addresses of the first regions in use of a slab, which has the first extent. */
static void used_regions(const struct fake_jemalloc *f, uint64_t size, uint64_t *pointers,
                         unsigned count)
{
	for (unsigned i = 0, region = 0; i < count; region++)
		if (!(f->base[FAKE_EXTENTS + 64 + region / 8] >> region % 8 & 1))
			pointers[i++] = fake_jemalloc_first + 5 * FAKE_PAGE + region * size;
}

static void expect_cached(struct fake_jemalloc *f, uint64_t count, uint64_t size)
{
	struct pm_heap *heap = fake_jemalloc_open(f);
	assert_int_equal(heap->total.cached_count, count);
	assert_int_equal(heap->total.cached, count * size);
	assert_int_equal(heap->total.in_use, f->in_use - count * size);
	assert_int_equal(heap->total.chunks, f->chunks - count);
	assert_int_equal(heap->total.free, f->free);
	assert_int_equal(heap->arenas[0].cached, count * size);
	pm_heap_close(heap);
}

/** The cache of a thread: an array of bins whose stacks follow each other. */
static void the_cache_of_a_thread(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
	uint64_t pointers[12];

	fake_jemalloc_add_slab(f, 3, 0);
	fake_jemalloc_add_slab(f, 1, 0);
	used_regions(f, 48, pointers, 12);
	/* Not the start of a region; not a region */
	pointers[10] += 16;
	pointers[11] = fake_jemalloc_base;
	for (unsigned i = 0; i < FAKE_BINS; i++)
		fake_jemalloc_put_bin(f, i, pointers, i == 3 ? 12 : 0);
	expect_cached(f, 10, 48);

	/* Regions of another class */
	fake_jemalloc_put_bin(f, 3, pointers, 0);
	fake_jemalloc_put_bin(f, 2, pointers, 12);
	expect_cached(f, 0, 48);
	fake_jemalloc_put_bin(f, 2, pointers, 0);

	/* A region is in two caches at once in a changing process: it is counted once. */
	pointers[1] = pointers[0];
	fake_jemalloc_put_bin(f, 3, pointers, 10);
	expect_cached(f, 9, 48);

	/* Not an array of bins: the stacks do not follow each other. */
	f->bss[FAKE_BINS_AT + 20 * FAKE_BIN_SIZE + 18] ^= 8;
	expect_cached(f, 0, 48);
	f->bss[FAKE_BINS_AT + 20 * FAKE_BIN_SIZE + 18] ^= 8;
	expect_cached(f, 9, 48);
	fake_jemalloc_destroy(f);
}

static void allocators_by_name(void **state)
{
	(void)state;
	static const struct {
		const char *library;
		enum pm_heap_allocator allocator;
	} cases[] = {
		{ "/usr/lib/libtcmalloc_minimal.so.4", PM_HEAP_ALLOCATOR_TCMALLOC },
		{ "/opt/lib/libmimalloc.so.2.0", PM_HEAP_ALLOCATOR_MIMALLOC },
		{ "/lib/ld-musl-x86_64.so.1", PM_HEAP_ALLOCATOR_MUSL },
		{ "/usr/lib/libjemalloc.so.1", PM_HEAP_ALLOCATOR_JEMALLOC },
		{ "/usr/lib/libtcmalloc/any.so", PM_HEAP_ALLOCATOR_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
		fake_jemalloc_add_region(f, fake_jemalloc_bss + (1 << 24), FAKE_PAGE,
		                         cases[i].library, 8);

		struct pm_heap *heap = fake_jemalloc_open(f);
		assert_int_equal(heap->allocator, cases[i].allocator);
		assert_int_equal(heap->proof[0] != '\0', i < 4);
		assert_string_equal(heap->version, "");
		assert_int_equal(heap->chunk_count, 0);
		assert_false(heap->complete);
		pm_heap_close(heap);
		fake_jemalloc_destroy(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_layouts),
		cmocka_unit_test(regions_of_a_slab),
		cmocka_unit_test(unused_pages_are_free),
		cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(hidden_slabs_are_not_new),
		cmocka_unit_test(without_a_tree),
		cmocka_unit_test(the_cache_of_a_thread),
		cmocka_unit_test(allocators_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
