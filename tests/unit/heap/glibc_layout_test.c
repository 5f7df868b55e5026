/* SPDX-License-Identifier: MIT */
/* Heaps of several versions of glibc in fake memory, intact and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "support/fake_heap.h"

/** The versions that the library reports, by enum fake_glibc. */
static const char *const versions[] = {
	"2.26", "2.27-2.29", "2.30-2.31", "2.32-2.34", "2.35-2.41", "2.42", "2.43-2.44",
};

static void expect_arena(const struct fake_heap *fake, const struct pm_heap_arena *arena, int index)
{
	assert_int_equal(arena->system, fake->system[index]);
	assert_int_equal(arena->top, fake->top[index]);
	assert_int_equal(arena->in_use, fake->in_use[index]);
	assert_int_equal(arena->chunks, fake->chunks[index]);
	assert_int_equal(arena->free, FAKE_FREE_SIZE);
	assert_int_equal(arena->free_count, 1);
	assert_int_equal(arena->fast, fake->fast[index]);
	assert_int_equal(arena->cached, fake->fast[index] + fake->cached[index]);
	assert_int_equal(arena->cached_count, fake->cached_count[index] + arena->fast_count);
	assert_int_equal(arena->attached, 1);
	assert_int_equal(arena->heaps, 1);
	assert_true(arena->complete);
}

static void expect_state(const struct pm_heap *heap, uint64_t address, enum pm_chunk_state state)
{
	struct pm_chunk chunk;
	assert_true(pm_heap_find(heap, address + 16, &chunk));
	assert_int_equal(chunk.address, address);
	assert_int_equal(chunk.state, state);
}

static void expect_intact(const struct fake_heap *fake, const struct pm_heap *heap)
{
	const bool has_fastbins = fake->version != FAKE_GLIBC_243;

	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
	assert_string_equal(heap->version, versions[fake->version]);
	assert_false(heap->unused);
	assert_int_equal(heap->breaks_total, 0);
	assert_true(heap->complete);
	assert_int_equal(heap->arena_count, 2);

	for (int i = 0; i < 2; i++) {
		expect_arena(fake, &heap->arenas[i], i);
		expect_state(heap, fake->free_chunk[i], PM_CHUNK_FREE);
		expect_state(heap, fake->user_chunk[i], PM_CHUNK_IN_USE);
		expect_state(heap, fake->fast_chunk[i],
		             has_fastbins ? PM_CHUNK_CACHED : PM_CHUNK_IN_USE);
	}
	assert_true(heap->arenas[0].main);
	assert_int_equal(heap->arenas[0].overhead, 0);
	assert_int_equal(heap->mapped, FAKE_PART_SIZE);
	assert_int_equal(heap->mapped_count, 1);
	assert_int_equal(heap->mapped_counter, FAKE_PART_SIZE);
	assert_int_equal(heap->mapped_count_counter, 1);
	assert_false(heap->mapped_uncertain);
}

static void all_layouts_are_read(void **state)
{
	(void)state;
	for (int version = 0; version < FAKE_GLIBC_COUNT; version++) {
		for (int stopped = 0; stopped < 2; stopped++) {
			struct fake_heap fake;
			fake_heap_init(&fake, (enum fake_glibc)version);

			struct pm_heap *heap = fake_heap_open(&fake, stopped);
			expect_intact(&fake, heap);
			pm_heap_close(heap);
			fake_heap_deinit(&fake);
		}
	}
}

static void unknown_structures_are_not_an_empty_heap(void **state)
{
	(void)state;
	struct fake_heap fake;

	/* Half of the bins are no lists. */
	fake_heap_init(&fake, FAKE_GLIBC_236);
	memset(fake.bytes[FAKE_DATA] + FAKE_MAIN + 0x200, 0x58, 0x400);

	struct pm_heap *heap = fake_heap_open(&fake, true);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_string_equal(heap->version, "");
	assert_false(heap->unused);
	assert_int_equal(heap->arena_count, 0);
	assert_int_equal(heap->chunk_count, 0);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

/** Makes the main arena as it is before the first call of malloc. */
static void forget_arena(struct fake_heap *fake, size_t next, size_t attached)
{
	uint64_t main = fake_heap_address(FAKE_DATA) + FAKE_MAIN;

	memset(fake->bytes[FAKE_DATA], 0, FAKE_PART_SIZE);
	fake_heap_put(fake, main + next, main);
	fake_heap_put(fake, main + attached, 1);
}

static void malloc_that_was_never_called_is_unused(void **state)
{
	(void)state;
	static const size_t offsets[][2] = { { 0x868, 0x878 }, { 0x870, 0x880 }, { 0x818, 0x828 } };

	for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
		struct fake_heap fake;
		fake_heap_init(&fake, FAKE_GLIBC_236);
		forget_arena(&fake, offsets[i][0], offsets[i][1]);

		struct pm_heap *heap = fake_heap_open(&fake, true);
		assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
		assert_true(heap->unused);
		assert_int_equal(heap->chunk_count, 0);
		pm_heap_close(heap);
		fake_heap_deinit(&fake);
	}
}

/** Damages the size of a chunk in use of an arena. */
static void damage(int arena, uint64_t head, bool stopped, const char *why)
{
	struct fake_heap fake;
	struct pm_chunk chunk;

	fake_heap_init(&fake, FAKE_GLIBC_236);
	uint64_t broken = fake.user_chunk[arena] + 0x90;
	fake_heap_put(&fake, broken + 8, head);

	struct pm_heap *heap = fake_heap_open(&fake, stopped);
	assert_false(heap->complete);
	assert_false(heap->arenas[arena].complete);
	assert_true(heap->arenas[1 - arena].complete);
	assert_int_equal(heap->breaks_total, 1);
	assert_int_equal(heap->break_count, 1);

	const struct pm_heap_break *found = &heap->breaks[0];
	assert_int_equal(found->address, broken);
	assert_int_equal(found->previous, fake.user_chunk[arena]);
	assert_int_equal(found->arena, arena);
	assert_int_equal(found->skipped, 0x60);
	assert_true(found->chain);
	assert_string_equal(found->why, why);

	/* The chunks after it are found again. */
	expect_state(heap, broken + 0x60, PM_CHUNK_IN_USE);
	assert_false(pm_heap_find(heap, broken + 0x20, &chunk));
	assert_int_equal(heap->arenas[arena].top, fake.top[arena]);
	assert_int_equal(heap->arenas[arena].in_use, fake.in_use[arena] - 0x60);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

static void damaged_chunks_are_reported_and_skipped(void **state)
{
	(void)state;
	for (int arena = 0; arena < 2; arena++) {
		uint64_t flags = arena ? 5 : 1;
		for (int stopped = 0; stopped < 2; stopped++) {
			damage(arena, flags, stopped, "its size is not valid");
			damage(arena, 0x18 | flags, stopped, "its size is not valid");
			damage(arena, 0x68 | flags, stopped, "its size is not valid");
			damage(arena, 0x10000 | flags, stopped, "its size exceeds the heap");
			damage(arena, ~UINT64_C(15) | flags, stopped, "its size exceeds the heap");
			damage(arena, UINT64_C(0x8000000000000000) | flags, stopped,
			       "its size exceeds the heap");
			damage(arena, 0x60 | 2 | flags, stopped, "it is marked as mapped");
		}
	}

	damage(0, 0x60 | 4 | 1, true, "it is marked as a chunk of another arena");
}

static void damaged_prev_size_is_reported(void **state)
{
	(void)state;
	struct fake_heap fake;

	fake_heap_init(&fake, FAKE_GLIBC_236);
	fake_heap_put(&fake, fake.user_chunk[0], FAKE_FREE_SIZE + 16);

	struct pm_heap *heap = fake_heap_open(&fake, true);
	assert_false(heap->complete);
	assert_int_equal(heap->breaks[0].address, fake.free_chunk[0]);
	assert_string_equal(heap->breaks[0].why,
	                    "it is free, but the next chunk has another prev_size");
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

/** Damages the list of the fastbin: the first chunk leads to `next`. */
static void damage_fastbin(uint64_t next)
{
	struct fake_heap fake;

	fake_heap_init(&fake, FAKE_GLIBC_231);
	uint64_t first = fake.fast_chunk[0];
	fake_heap_put(&fake, first + 16, next ? next : first);

	struct pm_heap *heap = fake_heap_open(&fake, true);
	assert_false(heap->complete);
	assert_int_equal(heap->breaks_total, 1);
	assert_int_equal(heap->breaks[0].address, first);
	assert_string_equal(heap->breaks[0].why, "the list of a fastbin is not valid");
	assert_false(heap->breaks[0].chain);
	assert_int_equal(heap->arenas[0].fast, 0);
	assert_int_equal(heap->arenas[1].fast, fake.fast[1]);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

static void damaged_lists_end(void **state)
{
	(void)state;
	damage_fastbin(0); /* a circle */
	damage_fastbin(1);
	damage_fastbin(~UINT64_C(15));
	damage_fastbin(fake_heap_address(FAKE_BRK));
	damage_fastbin(fake_heap_address(FAKE_MAPPED));
}

static void circle_of_arenas_ends(void **state)
{
	(void)state;
	struct fake_heap fake;
	const uint64_t other = fake_heap_address(FAKE_ARENA) + 0x30;

	/* The second arena leads to itself instead of the main arena. */
	fake_heap_init(&fake, FAKE_GLIBC_236);
	fake_heap_put(&fake, other + 0x870, other);

	struct pm_heap *heap = fake_heap_open(&fake, true);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
	assert_false(heap->complete);
	assert_int_equal(heap->arena_count, 2);
	assert_int_equal(heap->arenas[0].in_use, fake.in_use[0]);
	assert_int_equal(heap->arenas[1].in_use, fake.in_use[1]);
	pm_heap_close(heap);

	fake_heap_put(&fake, other + 0x870, 0x1000);
	heap = fake_heap_open(&fake, true);
	assert_false(heap->complete);
	assert_int_equal(heap->arena_count, 2);
	assert_int_equal(heap->breaks[0].address, 0x1000);
	assert_int_equal(heap->breaks[0].previous, other);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

/** A heap of 64 TiB of which 32 KiB exist: the search for chunks in the rest must end. */
static void size_beyond_the_memory_ends(void **state)
{
	(void)state;
	const uint64_t main = fake_heap_address(FAKE_DATA) + FAKE_MAIN, size = UINT64_C(1) << 46;

	for (int stopped = 0; stopped < 2; stopped++) {
		struct fake_heap fake;
		fake_heap_init(&fake, FAKE_GLIBC_236);

		uint64_t before = FAKE_PART_SIZE - fake.top[0];
		fake_heap_put(&fake, main + 0x888, size);
		fake_heap_put(&fake, main + 0x890, size);
		fake_heap_put(&fake, fake_heap_address(FAKE_BRK) + before + 8, size - before);

		struct pm_heap *heap = fake_heap_open(&fake, stopped);
		assert_false(heap->complete);
		assert_true(heap->breaks_total > 0);
		assert_true(heap->arenas[1].complete);
		pm_heap_close(heap);
		fake_heap_deinit(&fake);
	}
}

static void missing_mapped_chunks_are_reported(void **state)
{
	(void)state;
	struct fake_heap fake;

	fake_heap_init(&fake, FAKE_GLIBC_236);
	fake_heap_put(&fake, fake_heap_address(FAKE_MAPPED) + 8, UINT64_C(0x7fffffffffff000) | 2);

	struct pm_heap *heap = fake_heap_open(&fake, true);
	assert_int_equal(heap->mapped, 0);
	assert_int_equal(heap->mapped_counter, FAKE_PART_SIZE);
	assert_false(heap->complete);
	assert_int_equal(heap->breaks_total, 1);
	assert_false(heap->breaks[0].chain);
	assert_false(heap->mapped_uncertain);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

/** Two chunks where malloc has counted one: one of them is other memory. */
static void excess_of_mapped_chunks_is_reported(void **state)
{
	(void)state;
	const uint64_t first = fake_heap_address(FAKE_MAPPED), half = FAKE_PART_SIZE / 2;

	for (int stopped = 0; stopped < 2; stopped++) {
		struct fake_heap fake;
		fake_heap_init(&fake, FAKE_GLIBC_236);
		fake_heap_put(&fake, first + 8, half | 2);
		fake_heap_put(&fake, first + half + 8, half | 2);

		struct pm_heap *heap = fake_heap_open(&fake, stopped);
		assert_int_equal(heap->mapped_count, 2);
		assert_int_equal(heap->mapped_count_counter, 1);
		assert_true(heap->mapped_uncertain);
		pm_heap_close(heap);
		fake_heap_deinit(&fake);
	}
}

/**
 * Checks the chunks of a region of 8 pages with a chunk of one page at its start and others.
 *
 * @param pages    sizes of the others in pages, each after a page of other data; 0 if there are
 *                 fewer
 * @param counted  number of pages that malloc has counted in `count` chunks
 * @param left     number of pages in chunks that are expected
 */
static void check_mapped_pages(const unsigned pages[2], uint64_t count, uint64_t counted,
                               uint64_t left)
{
	const uint64_t page = 4096;
	enum { COUNTERS = FAKE_PARAMETERS + 56, MAPPED = COUNTERS + 24 };
	const uint64_t first = fake_heap_address(FAKE_MAPPED), data = fake_heap_address(FAKE_DATA);
	struct fake_heap fake;
	uint32_t mapped = (uint32_t)count;

	fake_heap_init(&fake, FAKE_GLIBC_236);
	fake_heap_put(&fake, first + 8, page | 2);
	fake_heap_put(&fake, first + 2 * page + 8, pages[0] * page | 2);
	if (pages[1] > 0)
		fake_heap_put(&fake, first + (3 + pages[0]) * page + 8, pages[1] * page | 2);
	memcpy(fake_heap_bytes(&fake, data + COUNTERS + 4), &mapped, sizeof mapped);
	fake_heap_put(&fake, data + MAPPED, counted * page);

	struct pm_heap *heap = fake_heap_open(&fake, true);
	assert_int_equal(heap->mapped_count_counter, count);
	assert_int_equal(heap->mapped, left * page);
	assert_int_equal(heap->mapped_uncertain, left != counted);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

/** Words that look like the header of a mapped chunk, in other memory. */
static void false_mapped_chunks_are_left_out(void **state)
{
	(void)state;
	check_mapped_pages((const unsigned[]){ 1, 0 }, 1, 1, 1);
	check_mapped_pages((const unsigned[]){ 1, 2 }, 1, 1, 1);
	/* A chunk whose mapping was merged with others. */
	check_mapped_pages((const unsigned[]){ 1, 2 }, 2, 2, 2);
	check_mapped_pages((const unsigned[]){ 1, 2 }, 2, 3, 3);
	check_mapped_pages((const unsigned[]){ 1, 2 }, 3, 4, 4);
	/* It is not known which chunk is false, or no chunk explains the counters. */
	check_mapped_pages((const unsigned[]){ 1, 1 }, 2, 2, 3);
	check_mapped_pages((const unsigned[]){ 1, 2 }, 1, 2, 4);
	/* A chunk that ends at the end of the region has a whole mapping. */
	check_mapped_pages((const unsigned[]){ 1, 4 }, 2, 2, 6);
	check_mapped_pages((const unsigned[]){ 1, 4 }, 2, 5, 5);
}

/** A reader that returns another word in the first reads of the memory around an address. */
struct torn {
	struct pm_reader *reader;
	uint64_t address, word;
	unsigned times; /**< number of these reads; those of up to one page do not count */
};

static int read_torn(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                     size_t *done, struct pm_error *error)
{
	struct torn *torn = context;
	char *to = buffer;
	int result = torn->reader->ops->read(torn->reader->context, ranges, count, buffer, done,
	                                     error);

	for (size_t i = 0; result == 0 && i < count; i++) {
		uint64_t offset = torn->address - ranges[i].start;
		uint64_t size = pm_range_size(ranges[i]);

		if (size > 4096 && offset <= size - 8 && torn->times > 0) {
			memcpy(to + offset, &torn->word, sizeof torn->word);
			torn->times--;
		}
		to += size;
	}
	return result;
}

static void close_torn(void *context)
{
	(void)context;
}

/** Opens a heap whose bytes change while they are read. */
static struct pm_heap *open_torn(struct fake_heap *fake, struct torn *torn, bool stopped)
{
	static const struct pm_reader_ops ops = { read_torn, close_torn };
	struct pm_reader reader = { &ops, torn };
	const struct pm_heap_source source = { .regions = &fake->regions,
		                               .reader = &reader,
		                               .stopped = stopped };
	struct pm_error error = { 0 };
	struct pm_heap *heap = NULL;

	torn->reader = &fake->reader;
	if (pm_heap_open(&source, &heap, &error) < 0)
		fail_msg("%s", error.text);
	return heap;
}

/** A chunk was split while the heap was read: its old size leads to another chunk. */
static void breaks_are_repaired_by_reading_again(void **state)
{
	(void)state;
	for (unsigned times = 1; times <= 4; times++) {
		struct fake_heap fake;
		fake_heap_init(&fake, FAKE_GLIBC_236);
		struct torn torn = { .address = fake.user_chunk[0] + 0x90 + 8,
			             .word = 0x70 | 1,
			             .times = times };

		struct pm_heap *heap = open_torn(&fake, &torn, false);
		assert_int_equal(torn.times, 0);
		assert_true(heap->complete);
		assert_int_equal(heap->breaks_total, 1);
		assert_int_equal(heap->breaks[0].skipped, 0);
		expect_arena(&fake, &heap->arenas[0], 0);
		expect_arena(&fake, &heap->arenas[1], 1);
		pm_heap_close(heap);
		fake_heap_deinit(&fake);
	}
}

/** In a stopped process, the same is damage. */
static void breaks_of_stopped_processes_are_not_repaired(void **state)
{
	(void)state;
	struct fake_heap fake;

	fake_heap_init(&fake, FAKE_GLIBC_236);
	struct torn torn = { .address = fake.user_chunk[0] + 0x90 + 8,
		             .word = 0x70 | 1,
		             .times = 1 };
	struct pm_heap *heap = open_torn(&fake, &torn, true);
	assert_false(heap->complete);
	assert_int_equal(heap->breaks_total, 1);
	assert_true(heap->breaks[0].skipped > 0);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

/** A chunk was split off the top chunk while the heap was read: its old size is not used. */
static void top_is_read_again(void **state)
{
	(void)state;
	struct fake_heap fake;

	fake_heap_init(&fake, FAKE_GLIBC_236);
	struct torn torn = { .address = fake.user_chunk[1] + 0x90 + 8,
		             .word = (fake.top[1] + UINT64_C(20) * 0x60) | 5,
		             .times = 1 };
	struct pm_heap *heap = open_torn(&fake, &torn, false);
	assert_true(heap->complete);
	expect_arena(&fake, &heap->arenas[1], 1);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

static void target_that_is_gone_is_an_error(void **state)
{
	(void)state;
	struct fake_heap fake;
	struct pm_error error = { 0 };
	struct pm_heap *heap = NULL;

	fake_heap_init(&fake, FAKE_GLIBC_236);
	fake.target.gone = true;
	const struct pm_heap_source source = { .regions = &fake.regions, .reader = &fake.reader };
	assert_int_equal(pm_heap_open(&source, &heap, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_null(heap);
	fake_heap_deinit(&fake);
}

/** Expects the version of a heap whose libc has a text in its constant data. */
static void expect_version(const char *text, size_t at, const char *version)
{
	static unsigned char constants[2 << 20];
	const struct pm_region region = { .start = 0x7fff00000000,
		                          .end = 0x7fff00000000 + sizeof constants,
		                          .perms = PM_PERM_READ,
		                          .mapping = "/usr/lib/libc.so.6" };
	struct fake_heap fake;

	memset(constants, 'x', sizeof constants);
	memcpy(constants + at, text, strlen(text));
	fake_heap_init(&fake, FAKE_GLIBC_236);
	fake.ranges[FAKE_PARTS] = (struct pm_fake_range){ region.start, constants,
		                                          sizeof constants };
	fake.target.count = FAKE_PARTS + 1;
	assert_int_equal(pm_regions_append(&fake.regions, &region, NULL), 0);

	struct pm_heap *heap = fake_heap_open(&fake, true);
	assert_string_equal(heap->version, version);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

static void the_text_of_libc_has_the_version(void **state)
{
	(void)state;
	static const char debian[] = "GNU C Library (Debian GLIBC 2.36-9) stable release version "
				     "2.36.\nCopyright";
	const size_t end = 2 << 20;

	expect_version(debian, 100, "2.36");
	/* At the ends of what is read at once, and of the data. */
	for (size_t before = 8; before < sizeof debian; before += 8)
		expect_version(debian, end / 2 - before, "2.36");
	expect_version(debian, end - sizeof debian + 1, "2.36");
	expect_version("GNU C Library (x) development release version 2.39.9000.", 0, "2.39");

	/* Versions that do not have these structures, and other texts. */
	expect_version("GNU C Library (x) stable release version 2.31.", 0, "2.35-2.41");
	expect_version("GNU C Library (x) stable release version 2.42.", 0, "2.35-2.41");
	expect_version("GNU C Library (x) stable release version 2.99999999999", 0, "2.35-2.41");
	expect_version("GNU C Library (x) stable release version ", end - 41, "2.35-2.41");
}

/** Libraries of other allocators are named, although their chunks are not known. */
static void another_allocator_by_name(void **state)
{
	(void)state;
	struct fake_heap fake;
	const struct pm_region region = { .start = 0x7fff00000000,
		                          .end = 0x7fff00000000 + FAKE_PART_SIZE,
		                          .perms = PM_PERM_READ,
		                          .mapping = "/usr/lib/libmimalloc.so.2" };

	fake_heap_init(&fake, FAKE_GLIBC_236);
	struct pm_heap *heap = fake_heap_open(&fake, true);
	assert_int_equal(heap->other, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_int_equal(heap->arenas[0].number, 0);
	assert_int_equal(heap->arenas[1].number, 1);
	pm_heap_close(heap);

	assert_int_equal(pm_regions_append(&fake.regions, &region, NULL), 0);
	heap = fake_heap_open(&fake, true);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
	assert_int_equal(heap->other, PM_HEAP_ALLOCATOR_MIMALLOC);
	assert_false(heap->other_known);
	assert_int_equal(heap->other_in_use, 0);
	assert_int_equal(heap->total.in_use, fake.in_use[0] + fake.in_use[1]);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_allocator_by_name),
		cmocka_unit_test(the_text_of_libc_has_the_version),
		cmocka_unit_test(all_layouts_are_read),
		cmocka_unit_test(unknown_structures_are_not_an_empty_heap),
		cmocka_unit_test(malloc_that_was_never_called_is_unused),
		cmocka_unit_test(damaged_chunks_are_reported_and_skipped),
		cmocka_unit_test(damaged_prev_size_is_reported),
		cmocka_unit_test(damaged_lists_end),
		cmocka_unit_test(circle_of_arenas_ends),
		cmocka_unit_test(size_beyond_the_memory_ends),
		cmocka_unit_test(missing_mapped_chunks_are_reported),
		cmocka_unit_test(excess_of_mapped_chunks_is_reported),
		cmocka_unit_test(false_mapped_chunks_are_left_out),
		cmocka_unit_test(breaks_are_repaired_by_reading_again),
		cmocka_unit_test(breaks_of_stopped_processes_are_not_repaired),
		cmocka_unit_test(top_is_read_again),
		cmocka_unit_test(target_that_is_gone_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
