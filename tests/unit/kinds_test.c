/* SPDX-License-Identifier: MIT */
/* Rules of malloc on made-up memory: what proves, and what only looks alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <procmem/kinds.h>

enum { MOST_WORDS = 64 };

#define MIB (UINT64_C(1) << 20)
#define HEAP_MAX (64 * MIB)

/** Words at addresses; all other memory reads as zeros. */
struct memory {
	struct {
		uint64_t address, value;
	} words[MOST_WORDS];
	size_t count;
};

static int read_memory(void *context, const struct pm_piece *pieces, size_t count, void *buffer, size_t *done, struct pm_error *error)
{
	(void)error;
	const struct memory *memory = context;
	char *to = buffer;
	*done = 0;
	for (size_t i = 0; i < count; i++) {
		memset(to, 0, pieces[i].size);
		for (size_t w = 0; w < memory->count; w++) {
			uint64_t at = memory->words[w].address - pieces[i].address;
			if (memory->words[w].address >= pieces[i].address && at + 8 <= pieces[i].size)
				memcpy(to + at, &memory->words[w].value, 8);
		}
		to += pieces[i].size;
		*done += pieces[i].size;
	}
	return 0;
}

static void close_memory(void *context)
{
	(void)context;
}

static const struct pm_reader_ops memory_ops = { read_memory, close_memory };

static void put(struct memory *memory, uint64_t address, uint64_t value)
{
	assert_true(memory->count < MOST_WORDS);
	memory->words[memory->count].address = address;
	memory->words[memory->count++].value = value;
}

static void put_heap(struct memory *memory, uint64_t start, uint64_t arena, uint64_t previous, uint64_t used, uint64_t open)
{
	put(memory, start, arena);
	put(memory, start + 8, previous);
	put(memory, start + 16, used);
	put(memory, start + 24, open);
}

/** A region that is wholly resident, or with `none` inaccessible. */
static void add(struct pm_regions *regions, uint64_t start, uint64_t size, unsigned perms)
{
	struct pm_region region = { .start = start, .end = start + size, .perms = (uint8_t)perms };
	region.known = PM_SIZE_BIT(PM_SIZE_RSS);
	region.bytes[PM_SIZE_RSS] = perms ? size : 0;
	assert_int_equal(pm_regions_append(regions, &region, NULL), 0);
}

static void assign(struct pm_regions *regions, struct memory *memory)
{
	struct pm_reader reader = { &memory_ops, memory };
	struct pm_kinds_evidence evidence = { .reader = &reader };
	assert_int_equal(pm_kinds_assign(regions, &evidence, NULL), 0);
}

enum { RW = PM_PERM_READ | PM_PERM_WRITE };
static const uint64_t base = UINT64_C(0x7f0000000000);

static void arena_of_two_heaps(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct memory memory = { 0 };
	uint64_t second = base + 4 * HEAP_MAX, arena = base + 0x30;
	pm_regions_init(&regions);
	add(&regions, base, HEAP_MAX, RW);
	add(&regions, second, 2 * MIB, RW);
	add(&regions, second + 2 * MIB, HEAP_MAX - 2 * MIB, 0);
	put_heap(&memory, base, arena, 0, HEAP_MAX, HEAP_MAX);
	put_heap(&memory, second, arena, base, MIB, 2 * MIB);
	assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ARENA);
	assert_int_equal(regions.items[0].proof, PM_PROOF_PROVEN);
	assert_string_equal(regions.items[0].detail, "arena 1 (7f0000000030), heap 1 of 2");
	assert_int_equal(regions.items[1].kind, PM_KIND_ARENA);
	assert_string_equal(regions.items[1].detail, "arena 1 (7f0000000030), heap 2 of 2");
	assert_int_equal(regions.items[2].kind, PM_KIND_RESERVE);
	assert_true(regions.items[2].arena == arena);
	pm_regions_deinit(&regions);
}

static void full_heaps_share_a_region(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct memory memory = { 0 };
	uint64_t arena = base + 0x30;
	pm_regions_init(&regions);
	add(&regions, base, 2 * HEAP_MAX + MIB, RW);
	put_heap(&memory, base, arena, 0, HEAP_MAX, HEAP_MAX);
	put_heap(&memory, base + HEAP_MAX, arena, base, HEAP_MAX, HEAP_MAX);
	put_heap(&memory, base + 2 * HEAP_MAX, base + 2 * HEAP_MAX + 0x30, 0, MIB, MIB);
	assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ARENA);
	assert_non_null(strstr(regions.items[0].detail, "arena 1 (7f0000000030), heap 2 of 2"));
	assert_non_null(strstr(regions.items[0].detail, "arena 2 (7f0008000030), heap 1 of 1"));
	pm_regions_deinit(&regions);
}

static void lookalikes_are_no_arenas(void **state)
{
	(void)state;
	const uint64_t arena = base + 0x30;
	const struct {
		const char *what;
		uint64_t arena, previous, used, open;
	} cases[] = {
		{ "zeros", 0, 0, 0, 0 },
		{ "accessible size is not the region's", arena, 0, MIB, 3 * MIB },
		{ "more in use than accessible", arena, 0, 3 * MIB, 2 * MIB },
		{ "arena outside of the first heap", base + 3 * MIB, 0, MIB, 2 * MIB },
		{ "second heap without its first", base + 8 * HEAP_MAX + 0x30, base + 8 * HEAP_MAX, MIB, 2 * MIB },
		{ "previous heap not aligned", base + 8 * HEAP_MAX + 0x30, base + 8 * HEAP_MAX + 4096, MIB, 2 * MIB },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pm_regions regions;
		struct memory memory = { 0 };
		pm_regions_init(&regions);
		add(&regions, base, 2 * MIB, RW);
		put_heap(&memory, base, cases[i].arena, cases[i].previous, cases[i].used, cases[i].open);
		assign(&regions, &memory);
		if (regions.items[0].kind != PM_KIND_ANON)
			fail_msg("%s: is %s", cases[i].what, pm_kind_name((enum pm_kind)regions.items[0].kind));
		pm_regions_deinit(&regions);
	}
}

static void put_chunk(struct memory *memory, uint64_t at, uint64_t size)
{
	put(memory, at + 8, size | 2);
}

static void chunks_are_walked(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct memory memory = { 0 };
	pm_regions_init(&regions);
	add(&regions, base + MIB, 3 * MIB, RW);            /* three equal ones */
	add(&regions, base + 8 * MIB, 3 * MIB, RW);        /* two of different sizes */
	add(&regions, base + 16 * MIB, 4 * MIB, RW);       /* one that covers three quarters */
	add(&regions, base + 32 * MIB, 4 * MIB, RW);       /* one that covers a quarter */
	add(&regions, base + 48 * MIB, MIB, RW);           /* one that would not fit */
	for (int i = 1; i < 4; i++)
		put_chunk(&memory, base + (uint64_t)i * MIB, MIB);
	put_chunk(&memory, base + 8 * MIB, MIB);
	put_chunk(&memory, base + 9 * MIB, 2 * MIB);
	put_chunk(&memory, base + 16 * MIB, 3 * MIB);
	put_chunk(&memory, base + 32 * MIB, MIB);
	put_chunk(&memory, base + 48 * MIB, 2 * MIB);
	assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_MALLOC);
	assert_int_equal(regions.items[0].proof, PM_PROOF_PROVEN);
	assert_string_equal(regions.items[0].detail, "3 malloc chunks of 1.0M");
	assert_string_equal(regions.items[1].detail, "2 malloc chunks, 1.0M to 2.0M");
	assert_int_equal(regions.items[2].kind, PM_KIND_MALLOC);
	assert_int_equal(regions.items[2].proof, PM_PROOF_INFERRED);
	assert_string_equal(regions.items[2].detail, "1 malloc chunk of 3.0M in the first 3.0M");
	assert_int_equal(regions.items[3].kind, PM_KIND_ANON);
	assert_int_equal(regions.items[4].kind, PM_KIND_ANON);
	pm_regions_deinit(&regions);
}

static void untouched_memory_is_not_read(void **state)
{
	(void)state;
	/* The memory would prove an arena, but its page is not there: reading it would change the target. */
	struct pm_regions regions;
	struct memory memory = { 0 };
	pm_regions_init(&regions);
	add(&regions, base, 2 * MIB, RW);
	regions.items[0].bytes[PM_SIZE_RSS] = 0;
	put_heap(&memory, base, base + 0x30, 0, MIB, 2 * MIB);
	assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ANON);
	assert_non_null(strstr(regions.items[0].why, "not in memory"));
	pm_regions_deinit(&regions);
}

static void data_without_access_is_memory(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct memory memory = { 0 };
	pm_regions_init(&regions);
	add(&regions, base, MIB, 0);
	add(&regions, base + 2 * MIB, MIB, 0);
	regions.items[1].bytes[PM_SIZE_RSS] = 4096;
	assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_RESERVE);
	assert_int_equal(regions.items[1].kind, PM_KIND_ANON);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_of_two_heaps),
		cmocka_unit_test(full_heaps_share_a_region),
		cmocka_unit_test(lookalikes_are_no_arenas),
		cmocka_unit_test(chunks_are_walked),
		cmocka_unit_test(untouched_memory_is_not_read),
		cmocka_unit_test(data_without_access_is_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
