/* SPDX-License-Identifier: MIT */
/* Whatever the structures of jemalloc contain, the search and the walk end soon, and take little
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <procmem/heap.h>

#include "heap/heap.h"
#include "support/fake_jemalloc.h"
#include "support/target.h"

/** An extent that overlaps the next one: the next one is not counted. */
static void overlapping_extents(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);

	fake_jemalloc_fill(f);
	fake_jemalloc_add_large(f, 0);
	struct fake_jemalloc before = *f;
	/* An unused extent of three pages says that it has five. */
	unsigned char *extent = fake_jemalloc_add_extent(f, 3, 0, 1, 232, false);
	fake_jemalloc_put(extent + 16, 5 * FAKE_PAGE);
	fake_jemalloc_add_slab(f, 3, 0);

	struct pm_heap *heap = fake_jemalloc_open(f);
	before.system += 5 * FAKE_PAGE;
	before.free += 5 * FAKE_PAGE;
	before.unused_pages += 5 * FAKE_PAGE;
	assert_false(heap->complete);
	/* Of the pages of the slab, only the first one is the first page of an extent. */
	assert_int_equal(heap->breaks_total, 1);
	assert_int_equal(heap->breaks[0].address,
	                 fake_jemalloc_first + (f->next_page - 3) * FAKE_PAGE);
	assert_non_null(strstr(heap->breaks[0].why, "overlap"));
	fake_jemalloc_expect(&before, heap);
	pm_heap_close(heap);

	/* More than all memory */
	fake_jemalloc_put(extent + 16, UINT64_C(1) << 35);
	heap = fake_jemalloc_open(f);
	assert_int_equal(heap->breaks_total, 1);
	assert_non_null(strstr(heap->breaks[0].why, "larger than all memory"));
	assert_int_equal(heap->total.system, f->system);
	pm_heap_close(heap);
	fake_jemalloc_destroy(f);
}

/** All entries of the root point to the same leaf, which is valid only for the first entry. */
static void root_entries_of_the_same_leaf(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
	uint64_t pages = (sizeof f->data + sizeof f->bss + sizeof f->base) / FAKE_PAGE;

	fake_jemalloc_fill(f);
	for (uint64_t i = fake_jemalloc_first >> 30; i < 1 << 17; i++)
		fake_jemalloc_put(f->bss + FAKE_ROOT + i * 8, fake_jemalloc_base + FAKE_LEAF);

	struct pm_heap *heap = fake_jemalloc_open(f);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_JEMALLOC);
	assert_false(heap->complete);
	fake_jemalloc_expect(f, heap);
	assert_in_range(heap->breaks_total, 1, 65536 + 2 * pages + 1);
	pm_heap_close(heap);
	fake_jemalloc_destroy(f);
}

/** The pages of the extents are kept once each, in whatever order the extents are used. */
static void pages_of_the_extents(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);

	f->alternate = true;
	for (unsigned i = 0; i < 1500; i++)
		fake_jemalloc_add_slab(f, 3, 0);

	struct pm_heap *heap = fake_jemalloc_open(f);
	const struct pm_heap_handle *handle = pm_heap_const_handle(heap);
	fake_jemalloc_expect(f, heap);

	/* The leaf, and the pages of both halves */
	assert_int_equal(handle->own_count, 3);
	assert_int_equal(handle->own[0].start, fake_jemalloc_base + FAKE_LEAF);
	assert_int_equal(handle->own[0].end, fake_jemalloc_base + FAKE_LEAF + FAKE_LEAF_BYTES);
	for (size_t i = 1; i < 3; i++) {
		uint64_t start = fake_jemalloc_base + FAKE_EXTENTS + (i - 1) * 1000 * 128;
		assert_int_equal(handle->own[i].start, start / FAKE_PAGE * FAKE_PAGE);
		assert_int_equal(handle->own[i].end,
		                 (start + 749 * 128) / FAKE_PAGE * FAKE_PAGE + FAKE_PAGE);
	}
	pm_heap_close(heap);
	fake_jemalloc_destroy(f);
}

/** Words that point to zeros: each could be the entry of a root, and is checked by reading. */
static void a_search_that_finds_nothing(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
	const size_t reads_max = 10000;

	for (size_t at = 0; at < sizeof f->bss; at += 8)
		fake_jemalloc_put(f->bss + at, fake_jemalloc_base);

	struct pm_heap *heap = fake_jemalloc_open(f);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_in_range(f->target.calls, 1, reads_max);
	pm_heap_close(heap);
	fake_jemalloc_destroy(f);
}

/** Reads the fake memory, and counts the bytes. */
struct counter {
	struct pm_reader source;
	uint64_t bytes;
};

static int read_counted(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                        size_t *done, struct pm_error *error)
{
	struct counter *counter = context;
	int result = counter->source.ops->read(counter->source.context, ranges, count, buffer, done,
	                                       error);

	counter->bytes += *done;
	return result;
}

static void close_counted(void *context)
{
	(void)context;
}

/** Most words of a program that can be pointers lead to its own data, whose first page shows it. */
static void words_that_point_to_data(void **state)
{
	(void)state;
	static const struct pm_reader_ops ops = { .read = read_counted, .close = close_counted };
	enum { WORDS = 4000, SHAPES = 2, PAGES = 4 };
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
	struct counter counter = { .source = f->reader };
	struct pm_reader reader = { .ops = &ops, .context = &counter };

	for (size_t at = 0; at < sizeof f->base; at += 8)
		fake_jemalloc_put(f->base + at, fake_jemalloc_base + at / 64 * 64);
	memset(f->bss, 0, sizeof f->bss);
	for (size_t i = 0; i < WORDS; i++)
		fake_jemalloc_put(f->bss + i * 512, fake_jemalloc_base + i * 512);

	f->source.reader = &reader;
	struct pm_heap *heap = fake_jemalloc_open(f);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_in_range(counter.bytes, 1,
	                sizeof f->bss + sizeof f->data + WORDS * SHAPES * PAGES * FAKE_PAGE);
	pm_heap_close(heap);
	fake_jemalloc_destroy(f);
}

/** What was found before is not searched for again. */
static void a_hint_replaces_the_search(void **state)
{
	(void)state;
	struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
	struct pm_heap_hint hint = { .jemalloc_entry = 1 };
	struct pm_error error = { 0 };

	/* Words before the root that lead to nothing */
	for (size_t at = 0; at < FAKE_ROOT / 8 * 8; at += 8)
		fake_jemalloc_put(f->bss + at, fake_jemalloc_base + FAKE_EXTENTS);
	fake_jemalloc_fill(f);
	must(pm_heap_find_hint(&f->source, &hint, &error), &error);
	assert_true(hint.searched);
	assert_int_not_equal(hint.jemalloc_entry, 0);

	size_t calls = f->target.calls;
	pm_heap_close(fake_jemalloc_open(f));
	size_t without = f->target.calls - calls;

	f->source.hint = hint;
	calls = f->target.calls;
	struct pm_heap *heap = fake_jemalloc_open(f);
	fake_jemalloc_expect(f, heap);
	assert_true(f->target.calls - calls < without);
	pm_heap_close(heap);

	/* The tree is found if it is elsewhere now, but not if there was none. */
	f->source.hint.jemalloc_entry = fake_jemalloc_bss;
	heap = fake_jemalloc_open(f);
	fake_jemalloc_expect(f, heap);
	pm_heap_close(heap);

	f->source.hint.jemalloc_entry = 0;
	heap = fake_jemalloc_open(f);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_UNKNOWN);
	pm_heap_close(heap);
	fake_jemalloc_destroy(f);
}

/** Opens the heap while random bytes of its structures are wrong. */
static void damage_bytes(struct fake_jemalloc *f, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		size_t offset = FAKE_EXTENTS + fake_jemalloc_roll(f, (uint64_t)f->extents * 128);
		if (fake_jemalloc_roll(f, 8) == 0)
			offset = FAKE_LEAF + fake_jemalloc_roll(f, f->next_page * 8);
		if (fake_jemalloc_roll(f, 16) == 0)
			offset = FAKE_NODE + fake_jemalloc_roll(f, 256 << 10);
		f->base[offset] = (unsigned char)fake_jemalloc_roll(f, 256);
	}

	struct pm_heap *heap = fake_jemalloc_open(f);
	assert_true(heap->chunk_count <= 512 * f->extents);
	for (uint32_t i = 0; i < heap->chunk_count; i += 97) {
		struct pm_chunk chunk;
		pm_heap_chunk(heap, i, &chunk);
		assert_true(chunk.start < chunk.end);
	}

	pm_heap_close(heap);
}

/** Whatever the memory contains, the search ends, and nothing outside of it is used. */
static void hostile_memory(void **state)
{
	(void)state;
	for (unsigned three_levels = 0; three_levels < 2; three_levels++) {
		struct fake_jemalloc *f = fake_jemalloc_create(&fake_jemalloc_versions[0]);
		struct fake_jemalloc *copy = malloc(sizeof *copy);

		f->three_levels = three_levels;
		fake_jemalloc_link(f);
		fake_jemalloc_fill(f);
		memcpy(copy, f, sizeof *copy);
		for (unsigned round = 0; round < 100; round++) {
			damage_bytes(f, 1 + round % 20);
			memcpy(f->base, copy->base, sizeof f->base);
		}

		free(copy);
		fake_jemalloc_destroy(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlapping_extents),
		cmocka_unit_test(root_entries_of_the_same_leaf),
		cmocka_unit_test(pages_of_the_extents),
		cmocka_unit_test(a_search_that_finds_nothing),
		cmocka_unit_test(words_that_point_to_data),
		cmocka_unit_test(a_hint_replaces_the_search),
		cmocka_unit_test(hostile_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
