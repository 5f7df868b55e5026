/* SPDX-License-Identifier: MIT */
/* A heap whose chunks are given by the test, in a target with fake memory. */
#include "heap/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/fake_reader.h"

enum { PAGE = 4096, PAGES = 2000, ALL = 15, HEADER = 16, OVERLAP = 8 };

static const uint64_t base = 0x10000000;

/** A heap. The state of each page is a character: see page_state(). */
struct fixture {
	struct pm_heap_handle heap;
	unsigned char bytes[PAGES * PAGE];
	char states[PAGES];
	struct pm_fake_range ranges[2];
	struct pm_fake_target target;
	struct pm_reader reader;
	struct pm_page_source pages;
	struct pm_regions regions;
	sig_atomic_t cancel;
	uint64_t random;

	/* What the visitor expects and counts */
	uint32_t next;
	unsigned mask;
	uint64_t cut; /* sum of the bytes that are missing */
	uint32_t end_after;
};

static uint64_t roll(struct fixture *f, uint64_t limit)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return f->random % limit;
}

/** Returns the page state of a character; 0 for a page that was never touched. */
static unsigned page_state(char c)
{
	switch (c) {
	case 'p': /* present */
	case 'u': /* present when the page states are fetched, but it cannot be read */
		return PM_PAGE_PRESENT;
	case 'g':
		return PM_PAGE_GUARD;
	default:
		return 0;
	}
}

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	struct fixture *f = context;
	(void)error;

	for (uint64_t at = start; at < end && at < base + sizeof f->bytes; at += PAGE) {
		struct pm_page_run run = { at, at + PAGE,
			                   page_state(f->states[(at - base) / PAGE]) };
		int result = run.state ? visit(visitor, &run) : 0;
		if (result)
			return result;
	}

	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	const struct pm_region region = { .start = base,
		                          .end = base + sizeof f->bytes,
		                          .perms = PM_PERM_READ | PM_PERM_WRITE,
		                          .mapping = "" };

	f->random = UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = 0; i < sizeof f->bytes; i += 8) {
		uint64_t word = roll(f, UINT64_MAX);
		memcpy(f->bytes + i, &word, 8);
	}

	memset(f->states, 'p', sizeof f->states);
	f->ranges[0] = (struct pm_fake_range){ base, f->bytes, sizeof f->bytes };
	f->target = (struct pm_fake_target){ .ranges = f->ranges, .count = 1 };
	f->reader = pm_fake_reader(&f->target);
	f->pages = (struct pm_page_source){ walk, f, PM_SEGMENT_HOLE };
	pm_regions_init(&f->regions);
	assert_int_equal(pm_regions_append(&f->regions, &region, NULL), 0);

	f->heap.source = (struct pm_heap_source){ .regions = &f->regions,
		                                  .reader = &f->reader,
		                                  .pages = &f->pages,
		                                  .cancel = &f->cancel };
	assert_int_equal(pm_heap_window_open(&f->heap.source, &f->heap.window, NULL), 0);
	f->heap.index.header = HEADER;
	f->heap.index.overlap = OVERLAP;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	pm_heap_window_close(f->heap.window);
	pm_heap_index_deinit(&f->heap.index);
	pm_regions_deinit(&f->regions);
	free(f);
	return 0;
}

/** Fills the memory with chunks of random sizes and states. */
static void add_chunks(struct fixture *f, uint64_t size_limit)
{
	uint64_t at = base, end = base + sizeof f->bytes, size;

	assert_non_null(pm_heap_index_add_segment(&f->heap.index, at, end, 0, NULL));
	for (;; at += size) {
		size = 32 + 16 * roll(f, size_limit / 16);
		if (size > end - at)
			break;
		pm_heap_index_add(&f->heap.index, at, size, (unsigned)roll(f, 4));
	}

	assert_int_equal(pm_heap_index_finish(&f->heap.index, NULL), 0);
}

/** Checks a chunk against the index, and its bytes against the memory. */
static int check(void *context, const struct pm_chunk *chunk, const void *head, size_t size)
{
	struct fixture *f = context;
	const unsigned char *bytes = head;
	struct pm_chunk expected = { 0 };

	do
		pm_heap_chunk(&f->heap.result, f->next++, &expected);
	while (!(f->mask >> expected.state & 1));

	assert_int_equal(chunk->number, expected.number);
	assert_int_equal(chunk->start, expected.start);
	assert_int_equal(chunk->end, expected.end);
	assert_int_equal(chunk->state, expected.state);

	size_t wanted = (size_t)(chunk->end - chunk->start);
	wanted = wanted < PM_CHUNK_HEAD_SIZE ? wanted : PM_CHUNK_HEAD_SIZE;
	for (size_t i = 0; i < wanted; i++) {
		size_t offset = (size_t)(chunk->start - base) + i;
		char page = f->states[offset / PAGE];

		if (page == 'g' || page == 'u') {
			assert_int_equal(size, i);
			f->cut += wanted - i;
			return 0;
		}
		assert_true(i < size);
		assert_int_equal(bytes[i], page == '.' ? 0 : f->bytes[offset]);
	}

	assert_int_equal(size, wanted);
	return f->end_after && chunk->number >= f->end_after ? 7 : 0;
}

static int read_chunks(struct fixture *f, unsigned mask)
{
	f->next = 0;
	f->mask = mask;
	return pm_heap_read_chunks(&f->heap.result, mask, check, f, NULL);
}

/** Expects that the visitor was called up to the last chunk of its states. */
static void expect_end(struct fixture *f)
{
	struct pm_chunk chunk;
	for (; f->next < f->heap.index.chunks; f->next++) {
		pm_heap_chunk(&f->heap.result, f->next, &chunk);
		assert_false(f->mask >> chunk.state & 1);
	}
}

static void first_bytes_of_chunks(void **state)
{
	struct fixture *f = *state;
	static const uint64_t limits[] = { 32, 200, 5000, 100000, 600000 };

	for (size_t i = 0; i < 5; i++) {
		add_chunks(f, limits[i]);
		for (unsigned mask = 1; mask <= ALL; mask++) {
			assert_int_equal(read_chunks(f, mask), 0);
			expect_end(f);
		}

		pm_heap_index_deinit(&f->heap.index);
		f->heap.index.header = HEADER;
		f->heap.index.overlap = OVERLAP;
	}
}

/** Each byte is read once, by few calls. */
static void calls_are_few(void **state)
{
	struct fixture *f = *state;

	add_chunks(f, 200);
	assert_int_equal(read_chunks(f, ALL), 0);
	expect_end(f);
	assert_in_range(f->target.calls, 1, sizeof f->bytes / (256 * 1024) + 16);
}

static void pages_of_all_states(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < PAGES; i++)
		f->states[i] = "pp.g"[roll(f, 4)];
	add_chunks(f, 300);
	assert_int_equal(read_chunks(f, ALL), 0);
	expect_end(f);
	assert_true(f->cut > 1000);
}

/** Memory that was unmapped after the page states were fetched. */
static void unreadable_pages(void **state)
{
	struct fixture *f = *state;

	memset(f->states + 300, 'u', 10);
	f->ranges[0].size = 300 * PAGE;
	f->ranges[1] = (struct pm_fake_range){ base + 310 * PAGE, f->bytes + 310 * PAGE,
		                               (PAGES - 310) * PAGE };
	f->target.count = 2;
	add_chunks(f, 200);
	assert_int_equal(read_chunks(f, ALL), 0);
	expect_end(f);
	assert_true(f->cut > 10 * PAGE / 4);
}

static void chunks_in_several_segments(void **state)
{
	struct fixture *f = *state;
	struct pm_heap_index *index = &f->heap.index;

	assert_int_equal(pm_heap_index_add_mapped(index, base, 20 * PAGE, 0, NULL), 0);
	assert_int_equal(pm_heap_index_add_mapped(index, base + 20 * PAGE, 20 * PAGE, PAGE, NULL),
	                 0);
	assert_non_null(
		pm_heap_index_add_segment(index, base + 50 * PAGE, base + 400 * PAGE, 0, NULL));
	pm_heap_index_add(index, base + 50 * PAGE, PAGE, PM_CHUNK_IN_USE);
	pm_heap_index_add(index, base + 51 * PAGE, 300 * PAGE, PM_CHUNK_IN_USE);
	pm_heap_index_add(index, base + 351 * PAGE, 48, PM_CHUNK_FREE);
	assert_int_equal(pm_heap_index_finish(index, NULL), 0);

	assert_int_equal(read_chunks(f, ALL), 0);
	assert_int_equal(f->next, 5);
}

static void visitor_ends_the_walk(void **state)
{
	struct fixture *f = *state;

	add_chunks(f, 200);
	f->end_after = 20000;
	assert_int_equal(read_chunks(f, ALL), 7);
	assert_int_equal(f->next, 20001);
}

static void errors(void **state)
{
	struct fixture *f = *state;
	struct pm_error error = { 0 };

	add_chunks(f, 200);
	f->target.gone = true;
	assert_int_equal(pm_heap_read_chunks(&f->heap.result, ALL, check, f, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);

	f->target.gone = false;
	f->cancel = 1;
	assert_int_equal(pm_heap_read_chunks(&f->heap.result, ALL, check, f, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	assert_int_equal(f->next, 0);
}

/** Without a known allocator, the heap is not known. */
static void unknown_allocator(void **state)
{
	struct fixture *f = *state;
	struct pm_heap *heap = NULL;

	assert_int_equal(pm_heap_open(&f->heap.source, &heap, NULL), 0);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_int_equal(heap->chunk_count, 0);
	assert_int_equal(heap->arena_count, 0);
	assert_false(heap->complete);
	assert_false(heap->unused);
	assert_false(pm_heap_find(heap, base, NULL));
	assert_int_equal(pm_heap_read_chunks(heap, ALL, check, f, NULL), 0);
	assert_int_equal(f->next, 0);
	pm_heap_close(heap);
	pm_heap_close(NULL);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(pm_chunk_state_name(PM_CHUNK_IN_USE), "in_use");
	assert_string_equal(pm_chunk_state_name(PM_CHUNK_CACHED), "cached");
	assert_string_equal(pm_chunk_state_name(PM_CHUNK_FREE), "free");
	assert_string_equal(pm_chunk_state_name(PM_CHUNK_TOP), "top");
	assert_string_equal(pm_heap_allocator_name(PM_HEAP_ALLOCATOR_UNKNOWN), "unknown");
	assert_string_equal(pm_heap_allocator_name(PM_HEAP_ALLOCATOR_GLIBC), "glibc");
	assert_string_equal(pm_heap_allocator_name(PM_HEAP_ALLOCATOR_MUSL), "musl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(first_bytes_of_chunks, setup, teardown),
		cmocka_unit_test_setup_teardown(calls_are_few, setup, teardown),
		cmocka_unit_test_setup_teardown(pages_of_all_states, setup, teardown),
		cmocka_unit_test_setup_teardown(unreadable_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(chunks_in_several_segments, setup, teardown),
		cmocka_unit_test_setup_teardown(visitor_ends_the_walk, setup, teardown),
		cmocka_unit_test_setup_teardown(errors, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_allocator, setup, teardown),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
