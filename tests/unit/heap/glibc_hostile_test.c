/* SPDX-License-Identifier: MIT */
/* Heaps of glibc that were made to cost much time or memory, or that lack pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "support/fake_heap.h"

enum {
	PAGE = 4096,
	BRK_SIZE = 8 << 20,
	SYSTEM = 0x888, /* offset of system_mem in malloc_state; max_system_mem follows */
	TOP = 0x60,
	NEXT = 0x870,
	RANGES_MAX = 64,
	HEAPS = 32,            /* additional heaps of the second arena */
	HEAP_SIZE = 128 << 10, /* bytes of each */
};

/** A fake heap with more memory. */
struct fixture {
	struct fake_heap fake;
	unsigned char *brk; /* BRK_SIZE bytes that replace FAKE_BRK */
	struct pm_fake_range ranges[RANGES_MAX];
	size_t count;   /* number of ranges */
	uint64_t bytes; /* number of bytes that were read */
};

static int count_read(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                      size_t *done, struct pm_error *error)
{
	struct fixture *f = context;
	const struct pm_reader *reader = &f->fake.reader;
	int result = reader->ops->read(reader->context, ranges, count, buffer, done, error);

	f->bytes += *done;
	return result;
}

static void close_nothing(void *context)
{
	(void)context;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	fake_heap_init(&f->fake, FAKE_GLIBC_236);
	f->brk = calloc(1, BRK_SIZE);
	assert_non_null(f->brk);
	memcpy(f->ranges, f->fake.ranges, sizeof f->fake.ranges);
	f->count = FAKE_PARTS_MAX;
	f->fake.target.ranges = f->ranges;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fake_heap_deinit(&f->fake);
	free(f->brk);
	free(f);
	return 0;
}

static struct pm_heap *open_heap(struct fixture *f, bool stopped)
{
	static const struct pm_reader_ops ops = { count_read, close_nothing };
	struct pm_reader reader = { &ops, f };
	const struct pm_heap_source source = { .regions = &f->fake.regions,
		                               .reader = &reader,
		                               .stopped = stopped };
	struct pm_error error = { 0 };
	struct pm_heap *heap = NULL;

	f->bytes = 0;
	if (pm_heap_open(&source, &heap, &error) < 0)
		fail_msg("%s", error.text);
	return heap;
}

static void put(unsigned char *bytes, uint64_t word)
{
	memcpy(bytes, &word, sizeof word);
}

/** Replaces the brk heap by BRK_SIZE bytes. Its last page is the top chunk. */
static void use_large_brk(struct fixture *f)
{
	const uint64_t start = fake_heap_address(FAKE_BRK);
	const uint64_t main = fake_heap_address(FAKE_DATA) + FAKE_MAIN;

	/* Nothing of the small heap is left: fastbins, and the chunk in the first bin. */
	for (unsigned i = 0; i < 10; i++)
		fake_heap_put(&f->fake, main + 0x10 + 8 * i, 0);
	fake_heap_put(&f->fake, main + 0x70, main + 0x60);
	fake_heap_put(&f->fake, main + 0x78, main + 0x60);

	fake_heap_put(&f->fake, main + TOP, start + BRK_SIZE - PAGE);
	fake_heap_put(&f->fake, main + SYSTEM, BRK_SIZE);
	fake_heap_put(&f->fake, main + SYSTEM + 8, BRK_SIZE);
	put(f->brk + BRK_SIZE - PAGE + 8, PAGE | 1);
	f->ranges[FAKE_BRK] = (struct pm_fake_range){ start, f->brk, BRK_SIZE };
	f->fake.regions.items[0].end = start + BRK_SIZE;
}

/** After each chunk, fenceposts follow. */
static void fences_everywhere(void **state)
{
	struct fixture *f = *state;

	use_large_brk(f);
	for (size_t at = 0; at < BRK_SIZE - PAGE; at += 0x40) {
		put(f->brk + at + 8, 0x20 | 1);
		put(f->brk + at + 0x28, 0x10 | 1);
		put(f->brk + at + 0x38, 0x10 | 1);
	}

	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = open_heap(f, stopped);
		assert_int_equal(heap->arenas[0].in_use, (BRK_SIZE - PAGE) / 2);
		assert_int_equal(heap->arenas[0].top, PAGE);
		assert_int_equal(heap->breaks_total, 0);
		assert_true(f->bytes < 2 * BRK_SIZE);
		pm_heap_close(heap);
	}
}

/** After 8 chunks, a header is not valid. */
static void breaks_everywhere(void **state)
{
	struct fixture *f = *state;
	const size_t group = 9 * 0x20;
	const size_t groups = (BRK_SIZE - PAGE) / group;

	use_large_brk(f);
	for (size_t at = 0; at < BRK_SIZE - PAGE; at += 0x20)
		put(f->brk + at + 8, at % group == group - 0x20 ? 8 : 0x20 | 1);

	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = open_heap(f, stopped);
		assert_false(heap->complete);
		assert_in_range(heap->breaks_total, groups, groups + 1);
		assert_in_range(heap->arenas[0].chunks, groups * 7, groups * 8 + 8);
		assert_int_equal(heap->arenas[0].top, PAGE);
		if (stopped)
			assert_true(f->bytes < 2 * BRK_SIZE);
		pm_heap_close(heap);
	}
}

/** Leaves out the page in the middle of each MiB of the brk heap. */
static void make_gaps(struct fixture *f)
{
	const uint64_t start = fake_heap_address(FAKE_BRK);
	const size_t step = 1 << 20;
	size_t from = 0;

	for (size_t gap = step / 2; gap < BRK_SIZE; gap += step) {
		f->ranges[f->count++] = (struct pm_fake_range){ start + from, f->brk + from,
			                                        gap - from };
		from = gap + PAGE;
	}
	f->ranges[f->count++] = (struct pm_fake_range){ start + from, f->brk + from,
		                                        BRK_SIZE - from };
	f->ranges[FAKE_BRK].size = 0;
	f->fake.target.count = f->count;
}

/** A core file lacks some pages: only the chunks in these pages are not found. */
static void missing_pages(void **state)
{
	struct fixture *f = *state;
	const size_t size = 0x50, chunks = (BRK_SIZE - PAGE) / size, gaps = 8;

	use_large_brk(f);
	for (size_t i = 0; i < chunks; i++)
		put(f->brk + i * size + 8, size | 1);
	put(f->brk + (chunks - 1) * size + 8, (BRK_SIZE - PAGE - (chunks - 1) * size) | 1);
	make_gaps(f);

	for (int stopped = 0; stopped < 2; stopped++) {
		uint64_t skipped = 0;
		struct pm_heap *heap = open_heap(f, stopped);

		assert_int_equal(heap->breaks_total, gaps);
		for (size_t i = 0; i < gaps; i++) {
			assert_true(heap->breaks[i].chain);
			assert_in_range(heap->breaks[i].skipped, PAGE - 2 * size, PAGE + 2 * size);
			skipped += heap->breaks[i].skipped;
		}
		assert_int_equal(heap->arenas[0].in_use + skipped, BRK_SIZE - PAGE);
		assert_int_equal(heap->arenas[0].top, PAGE);
		if (stopped)
			assert_true(f->bytes < 2 * BRK_SIZE);
		pm_heap_close(heap);
	}
}

/** The heap ends 8 bytes after the header that follows a small chunk. */
static void header_at_the_end(void **state)
{
	struct fixture *f = *state;
	const uint64_t main = fake_heap_address(FAKE_DATA) + FAKE_MAIN;
	const uint64_t chunk = f->fake.user_chunk[0] + 0x90, top = chunk + 8;

	/* The chunks at `chunk` and after it have 0x60 bytes. */
	fake_heap_put(&f->fake, main + TOP, top);
	fake_heap_put(&f->fake, top + 8, UINT64_C(2) * 0x60);

	struct pm_heap *heap = open_heap(f, true);
	assert_false(heap->complete);
	assert_true(pm_heap_find(heap, chunk + 0x60 + 16, NULL));
	for (size_t i = 0; i < heap->break_count; i++)
		assert_string_not_equal(heap->breaks[i].why, "the list of a fastbin is not valid");
	pm_heap_close(heap);
}

static void arena_with_two_heaps(void **state)
{
	struct fixture *f = *state;

	fake_heap_add(&f->fake, fake_heap_address(FAKE_ARENA));
	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = open_heap(f, stopped);
		assert_true(heap->complete);
		assert_int_equal(heap->arenas[1].heaps, 2);
		assert_int_equal(heap->arenas[1].in_use,
		                 f->fake.in_use[1] + f->fake.top[1] - 0x20 + FAKE_NEWER_SIZE);
		pm_heap_close(heap);
	}
}

/** A heap leads to itself instead of the first heap. */
static void circle_of_one_heap(void **state)
{
	struct fixture *f = *state;

	fake_heap_add(&f->fake, fake_heap_address(FAKE_NEWER));
	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_heap *heap = open_heap(f, stopped);
		assert_false(heap->complete);
		assert_int_equal(heap->arenas[1].heaps, 1);
		assert_int_equal(heap->arenas[1].in_use, FAKE_NEWER_SIZE);
		pm_heap_close(heap);
	}
}

/** Puts a heap of the second arena at an index of the large memory: 8 chunks, a break, and so on.
 */
static void put_broken_heap(struct fixture *f, size_t index)
{
	unsigned char *bytes = f->brk + index * HEAP_SIZE;
	const uint64_t step = UINT64_C(64) << 20;
	const uint64_t address = fake_heap_address(FAKE_NEWER) + step * (index + 1);
	const bool last = index + 1 == HEAPS;

	put(bytes, fake_heap_address(FAKE_ARENA) + 0x30);
	put(bytes + 8, last ? fake_heap_address(FAKE_ARENA) : address + step);
	put(bytes + 16, HEAP_SIZE);
	put(bytes + 24, HEAP_SIZE);
	for (size_t at = 0x30, i = 1; at < HEAP_SIZE; at += 0x20, i++)
		put(bytes + at + 8, i % 9 == 0 ? 8 : 0x20 | 5);

	f->ranges[f->count++] = (struct pm_fake_range){ address, bytes, HEAP_SIZE };
	f->fake.regions.items[2].end = address + HEAP_SIZE;
}

/** The repairs of all heaps together have a limit. */
static void breaks_in_many_heaps(void **state)
{
	struct fixture *f = *state;
	const uint64_t first = fake_heap_address(FAKE_NEWER) + (UINT64_C(64) << 20);

	fake_heap_add(&f->fake, first);
	for (size_t i = 0; i < HEAPS; i++)
		put_broken_heap(f, i);
	f->fake.target.count = f->count;

	struct pm_heap *heap = open_heap(f, false);
	assert_int_equal(heap->arenas[1].heaps, HEAPS + 2);
	assert_true(heap->breaks_total > HEAPS * 400);
	assert_true(f->bytes < UINT64_C(3) << 30);
	pm_heap_close(heap);
}

/** Expects one mapped chunk, whose second header is at a distance from the start of the mapping. */
static void expect_second(struct fixture *f, uint64_t lead, bool stopped)
{
	const uint64_t start = fake_heap_address(FAKE_MAPPED);
	struct pm_heap *heap = open_heap(f, stopped);
	struct pm_chunk chunk;

	assert_true(heap->complete);
	assert_int_equal(heap->mapped_count, 1);
	assert_int_equal(heap->mapped, FAKE_PART_SIZE);
	assert_true(pm_heap_find(heap, start + lead + 100, &chunk));
	assert_int_equal(chunk.start, start + lead + 16);
	pm_heap_close(heap);
}

/** realloc(3) made a chunk of posix_memalign(3) smaller: its first header exceeds the region. */
static void first_header_that_is_too_old(void **state)
{
	struct fixture *f = *state;
	const uint64_t start = fake_heap_address(FAKE_MAPPED), lead = 0x3ff0;

	fake_heap_put(&f->fake, start + 8, 0x20000 | 2);
	struct pm_heap *heap = open_heap(f, true);
	assert_int_equal(heap->mapped_count, 0);
	pm_heap_close(heap);

	fake_heap_put(&f->fake, start + lead, lead);
	fake_heap_put(&f->fake, start + lead + 8, (FAKE_PART_SIZE - lead) | 2);
	for (int stopped = 0; stopped < 2; stopped++)
		expect_second(f, lead, stopped);
}

/**
 * realloc(3) moved a chunk of posix_memalign(3): its second header is no longer in front of an
 * aligned address. Its first header says that it is smaller, or larger, than it is.
 */
static void second_header_that_was_moved(void **state)
{
	struct fixture *f = *state;
	const uint64_t start = fake_heap_address(FAKE_MAPPED), lead = 0x2ff0;
	static const uint64_t sizes[] = { 0x4000, 0x20000 };

	fake_heap_put(&f->fake, start + lead, lead);
	fake_heap_put(&f->fake, start + lead + 8, (FAKE_PART_SIZE - lead) | 2);
	/* Memory of the program that looks like a chunk, after the end in the first header */
	fake_heap_put(&f->fake, start + 0x5008, 0x1000 | 2);

	for (int i = 0; i < 4; i++) {
		fake_heap_put(&f->fake, start + 8, sizes[i / 2] | 2);
		expect_second(f, lead, i % 2);
	}
}

/** Removes the memory of the main arena, and changes mp_ so that it is not recognised. */
static void use_only_mapped(struct fixture *f)
{
	const uint64_t data = fake_heap_address(FAKE_DATA), main = data + FAKE_MAIN;

	for (unsigned i = 0; i < 10; i++)
		fake_heap_put(&f->fake, main + 0x10 + 8 * i, 0);
	fake_heap_put(&f->fake, main + 0x70, main + 0x60);
	fake_heap_put(&f->fake, main + 0x78, main + 0x60);
	fake_heap_put(&f->fake, main + TOP, main + 0x60);
	fake_heap_put(&f->fake, main + NEXT, main);
	fake_heap_put(&f->fake, main + SYSTEM, 0);
	fake_heap_put(&f->fake, main + SYSTEM + 8, 0);
	memset(fake_heap_bytes(&f->fake, data + FAKE_PARAMETERS), 0x58, 0x100);
}

/** Without the counters of malloc, a mapped chunk shows that malloc was called. */
static void only_mapped_chunks(void **state)
{
	struct fixture *f = *state;

	use_only_mapped(f);
	struct pm_heap *heap = open_heap(f, true);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
	assert_false(heap->unused);
	assert_int_equal(heap->mapped_count, 1);
	assert_int_equal(heap->mapped, FAKE_PART_SIZE);
	assert_int_equal(heap->mapped_counter, 0);
	assert_false(heap->mapped_counted);
	assert_true(heap->mapped_uncertain);
	pm_heap_close(heap);

	fake_heap_put(&f->fake, fake_heap_address(FAKE_MAPPED) + 8, 0);
	heap = open_heap(f, true);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
	assert_true(heap->unused);
	assert_true(heap->complete);
	assert_int_equal(heap->arena_count, 0);
	assert_int_equal(heap->chunk_count, 0);
	pm_heap_close(heap);
}

/** Writes an arena whose list of arenas leads to a circle without the arena. */
static void put_endless(struct fixture *f, size_t offset)
{
	const uint64_t start = fake_heap_address(FAKE_DATA), address = start + offset;

	for (uint64_t bin = 0x70; bin < NEXT - 0x10; bin += 16) {
		put(f->brk + offset + bin, address + bin - 16);
		put(f->brk + offset + bin + 8, address + bin - 16);
	}
	put(f->brk + offset + TOP, address);
	put(f->brk + offset + NEXT, start);
	put(f->brk + offset + SYSTEM, PAGE);
	put(f->brk + offset + SYSTEM + 8, PAGE);
}

/** The search for the main arena is given up. The result must not be that malloc is unused. */
static void arenas_everywhere(void **state)
{
	struct fixture *f = *state;
	const uint64_t start = fake_heap_address(FAKE_DATA);
	const size_t count = 100;

	f->ranges[FAKE_DATA] = (struct pm_fake_range){ start, f->brk, BRK_SIZE };
	f->fake.regions.items[3].end = start + BRK_SIZE;
	put(f->brk + NEXT, start);
	for (size_t i = 1; i <= count; i++)
		put_endless(f, i * PAGE);

	struct pm_heap *heap = open_heap(f, true);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_false(heap->unused);
	assert_int_equal(heap->chunk_count, 0);
	pm_heap_close(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fences_everywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(breaks_everywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(missing_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(header_at_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(arena_with_two_heaps, setup, teardown),
		cmocka_unit_test_setup_teardown(circle_of_one_heap, setup, teardown),
		cmocka_unit_test_setup_teardown(breaks_in_many_heaps, setup, teardown),
		cmocka_unit_test_setup_teardown(first_header_that_is_too_old, setup, teardown),
		cmocka_unit_test_setup_teardown(second_header_that_was_moved, setup, teardown),
		cmocka_unit_test_setup_teardown(only_mapped_chunks, setup, teardown),
		cmocka_unit_test_setup_teardown(arenas_everywhere, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
