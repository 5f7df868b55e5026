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

#include "reader/fake_reader.h"
#include "support/target.h"

enum {
	PAGE = 4096,
	LEAF_BYTES = 2 << 20,
	BSS_BYTES = LEAF_BYTES + 4 * PAGE,
	BASE_BYTES = 2 * LEAF_BYTES,
	/* Position of the root in the anonymous memory after the data of the library */
	ROOT = 0x1b18,
	/* Position of the leaf and of the extents in the memory of jemalloc itself */
	LEAF = 0xc0,
	EXTENTS = LEAF_BYTES + PAGE,
	/* With three levels, the leaf is shorter, and a node follows */
	NODE = (1 << 20) + 0x40,
	CLASSES = 14,
};

static const uint64_t library = 0x7f6385ccd000, bss = 0x7f6385cce000, base = 0x7f6384600000;
static const uint64_t gigabyte = 1 << 30, first_page = 0x7f6300000000 >> 30 << 30;

/** Positions in the first word of an extent, and the size classes, from the sources of jemalloc. */
struct version {
	const char *name;
	unsigned state, class, free;
	bool three_bits;
	const uint64_t *classes;
};

static const uint64_t quantum_16[CLASSES] = { 8,   16,  32,  48,  64,  80,  96,
	                                      112, 128, 160, 192, 224, 256, 320 };
static const uint64_t quantum_8[CLASSES] = { 8,  16, 24, 32,  40,  48,  56,
	                                     64, 80, 96, 112, 128, 160, 192 };
static const struct version versions[] = {
	{ "5.3", 17, 20, 28, true, quantum_16 },      { "5.3", 17, 20, 28, true, quantum_8 },
	{ "5.1-5.2", 16, 18, 26, false, quantum_16 }, { "5.1-5.2", 16, 18, 26, false, quantum_8 },
	{ "5.0", 15, 17, 25, false, quantum_16 },     { "5.0", 15, 17, 25, false, quantum_8 },
};

/** A process that uses jemalloc, and the figures that must be found. */
struct fixture {
	unsigned char data[PAGE], bss[BSS_BYTES], base[BASE_BYTES];
	struct pm_fake_range ranges[3];
	struct pm_fake_target target;
	struct pm_reader reader;
	struct pm_regions regions;
	struct pm_heap_source source;
	const struct version *version;
	bool three_levels; /* as built for addresses of 57 bits */

	uint64_t random;
	uint64_t next_page; /* number of the page at which the next extent starts */
	uint32_t extents;
	uint64_t in_use, free, chunks, free_count, system, unused_pages, retained;
};

static uint64_t roll(struct fixture *f, uint64_t limit)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return f->random % limit;
}

static void put(unsigned char *to, uint64_t word)
{
	memcpy(to, &word, sizeof word);
}

static void add_region(struct fixture *f, uint64_t start, size_t size, const char *mapping,
                       uint64_t inode)
{
	const struct pm_region region = { .start = start,
		                          .end = start + size,
		                          .perms = PM_PERM_READ | PM_PERM_WRITE,
		                          .inode = inode,
		                          .mapping = mapping };
	assert_int_equal(pm_regions_append(&f->regions, &region, NULL), 0);
}

/** Links the leaf to the root. */
static void link_leaf(struct fixture *f)
{
	memset(f->bss, 0, sizeof f->bss);
	if (!f->three_levels) {
		put(f->bss + ROOT + (first_page >> 30) * 8, base + LEAF);
		return;
	}

	put(f->bss + ROOT + (first_page >> 42) * 8, base + NODE);
	put(f->base + NODE + (first_page >> 27 & 0x7fff) * 8, base + LEAF);
}

static struct fixture *new_fixture(const struct version *version)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->version = version;
	f->random = UINT64_C(0x9e3779b97f4a7c15);
	f->ranges[0] = (struct pm_fake_range){ base, f->base, sizeof f->base };
	f->ranges[1] = (struct pm_fake_range){ library, f->data, sizeof f->data };
	f->ranges[2] = (struct pm_fake_range){ bss, f->bss, sizeof f->bss };
	f->target = (struct pm_fake_target){ .ranges = f->ranges, .count = 3 };
	f->reader = pm_fake_reader(&f->target);

	pm_regions_init(&f->regions);
	add_region(f, base, sizeof f->base, "", 0);
	add_region(f, library, sizeof f->data, "/usr/lib/libany.so", 7);
	add_region(f, bss, sizeof f->bss, "", 0);
	f->source = (struct pm_heap_source){ .regions = &f->regions, .reader = &f->reader };

	link_leaf(f);
	f->next_page = 5;
	return f;
}

static void free_fixture(struct fixture *f)
{
	pm_regions_deinit(&f->regions);
	free(f);
}

/** Sets the entry of a page. */
static void put_entry(struct fixture *f, uint64_t page, uint64_t extent, unsigned class, bool slab)
{
	if (!f->three_levels) {
		put(f->base + LEAF + page * 8, (uint64_t)class << 48 | extent | slab);
		return;
	}

	assert_true(page < 1 << 15);
	put(f->base + LEAF + page * 16, extent);
	put(f->base + LEAF + page * 16 + 8, class << 1 | slab);
}

/** Adds an extent, and entries for its first and last page, or for all pages of a slab. */
static unsigned char *add_extent(struct fixture *f, uint64_t pages, unsigned arena, unsigned state,
                                 unsigned class, bool slab)
{
	/* Up to 5.2, extents are aligned to 64 bytes. */
	size_t step = f->version->three_bits ? 128 : 192, offset = EXTENTS + f->extents++ * step;
	unsigned char *extent = f->base + offset;
	uint64_t first = f->next_page, last = first + pages - 1;

	assert_true(offset + 128 <= sizeof f->base && last < 1 << 18);
	put(extent, arena | (uint64_t)slab << 12 | 1 << 13 | state << f->version->state |
	                    (uint64_t)class << f->version->class);
	put(extent + 8, first_page + first * PAGE);
	put(extent + 16, pages * PAGE | roll(f, PAGE));
	for (uint64_t page = first; page <= last; page += slab ? 1 : pages > 1 ? pages - 1 : 1)
		put_entry(f, page, base + offset, class, slab);

	f->next_page += pages;
	return extent;
}

/** Adds a slab with random free regions. */
static void add_slab(struct fixture *f, unsigned class, unsigned arena)
{
	uint64_t size = f->version->classes[class], pages = 1, word;
	while (pages * PAGE % size)
		pages++;

	unsigned char *extent = add_extent(f, pages, arena, 0, class, true);
	uint64_t regions = pages * PAGE / size, free = 0;

	/* jemalloc does not clear the words of the bitmap that a slab does not need. */
	memset(extent + 64, 0xa5, 64);
	for (uint64_t i = 0; i < (regions + 63) / 64; i++) {
		word = roll(f, 3) ? roll(f, UINT64_MAX) : 0;
		if (i == regions / 64)
			word &= (UINT64_C(1) << regions % 64) - 1;
		put(extent + 64 + i * 8, word);
		free += (uint64_t)__builtin_popcountll(word);
	}

	memcpy(&word, extent, 8);
	put(extent, word | free << f->version->free);
	f->free += free * size;
	f->free_count += free;
	f->in_use += (regions - free) * size;
	f->chunks += regions - free;
	f->system += pages * PAGE;
}

/** Adds a large allocation of 16 KiB; `offset` is its distance from the page boundary. */
static void add_large(struct fixture *f, unsigned offset)
{
	unsigned class = f->version->classes == quantum_16 ? 36 : 39;
	unsigned char *extent = add_extent(f, 5, 0, 0, class, false);

	put(extent + 8, first_page + (f->next_page - 5) * PAGE + offset);
	f->in_use += 16384;
	f->chunks++;
	f->system += 5 * PAGE;
}

static void add_unused(struct fixture *f, uint64_t pages, unsigned state)
{
	unsigned char *extent = add_extent(f, pages, 0, state, 232, false);

	/* An unused extent that was a slab keeps this flag. */
	if (roll(f, 2))
		extent[1] |= 0x10;
	if (state == 3) {
		f->retained += pages * PAGE;
		return;
	}

	f->system += pages * PAGE;
	f->free += pages * PAGE;
	f->unused_pages += pages * PAGE;
}

static void fill(struct fixture *f)
{
	for (unsigned i = 0; i < 300; i++) {
		add_slab(f, (unsigned)roll(f, CLASSES), i % 2 * 3);
		if (i % 10 == 0)
			add_large(f, i % 20 * 64);
		if (i % 10 == 1)
			add_unused(f, 1 + roll(f, 20), 1 + (unsigned)roll(f, 3));
		/* The entry of an extent that was removed */
		if (i % 10 == 2)
			put_entry(f, f->next_page++, 0, 232, false);
	}
}

static struct pm_heap *open_heap(struct fixture *f)
{
	struct pm_error error = { 0 };
	struct pm_heap *heap = NULL;
	must(pm_heap_open(&f->source, &heap, &error), &error);
	return heap;
}

static void expect_figures(const struct fixture *f, const struct pm_heap *heap)
{
	assert_int_equal(heap->total.system, f->system);
	assert_int_equal(heap->total.in_use, f->in_use);
	assert_int_equal(heap->total.free, f->free);
	assert_int_equal(heap->total.chunks, f->chunks);
	assert_int_equal(heap->total.free_count, f->free_count);
	assert_int_equal(heap->total.unused_pages, f->unused_pages);
	assert_int_equal(heap->total.retained, f->retained);
	assert_int_equal(heap->total.overhead, f->system - f->in_use - f->free);
	assert_int_equal(heap->chunk_count, f->chunks + f->free_count);
}

static void all_layouts(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * sizeof versions / sizeof versions[0]; i++) {
		struct fixture *f = new_fixture(&versions[i / 2]);
		f->three_levels = i % 2;
		link_leaf(f);
		fill(f);

		struct pm_heap *heap = open_heap(f);
		assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_JEMALLOC);
		assert_string_equal(heap->version, versions[i / 2].name);
		assert_true(heap->complete);
		assert_false(heap->unused);
		assert_int_equal(heap->breaks_total, 0);
		assert_int_equal(heap->arena_count, 2);
		expect_figures(f, heap);
		pm_heap_close(heap);
		free_fixture(f);
	}
}

/** The chunks of one slab, region by region. */
static void regions_of_a_slab(void **state)
{
	(void)state;
	struct fixture *f = new_fixture(&versions[0]);
	uint64_t start = first_page + 5 * PAGE;

	add_slab(f, 3, 0);
	add_slab(f, 1, 3);
	add_large(f, 0x340);

	struct pm_heap *heap = open_heap(f);
	for (uint32_t i = 0; i < 3 * PAGE / 48; i++) {
		uint64_t address = start + i * 48;
		bool free = f->base[EXTENTS + 64 + i / 8] >> i % 8 & 1;
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
	assert_true(pm_heap_find(heap, start + 3 * PAGE, &chunk));
	assert_int_equal(chunk.size, 16);
	assert_int_equal(chunk.arena, 1);
	assert_false(pm_heap_find(heap, start + 4 * PAGE + 0x33f, NULL));
	assert_true(pm_heap_find(heap, start + 4 * PAGE + 0x340, &chunk));
	assert_int_equal(chunk.size, 16384);
	assert_false(pm_heap_find(heap, start + 4 * PAGE + 0x340 + 16384, NULL));
	pm_heap_close(heap);
	free_fixture(f);
}

/** The content of a large allocation that was freed is in unused pages. */
static void unused_pages_are_free(void **state)
{
	(void)state;
	struct fixture *f = new_fixture(&versions[0]);
	uint64_t first = first_page + 5 * PAGE, slab = first + 3 * PAGE, second = slab + 3 * PAGE;

	add_unused(f, 3, 1);
	add_slab(f, 3, 0);
	add_unused(f, 20, 2);
	add_unused(f, 4, 3);
	add_large(f, 0);

	struct pm_heap *heap = open_heap(f);
	const struct {
		struct pm_range range;
		unsigned inside, outside;
		uint64_t chunk;
	} expected[] = {
		{ { first, first + 1 }, PM_CHUNK_PART_FREE, 0, first },
		{ { slab - 1, slab }, PM_CHUNK_PART_FREE, 0, first },
		{ { second, second + 20 * PAGE }, PM_CHUNK_PART_FREE, 0, second },
		{ { second + 20 * PAGE, second + 21 * PAGE },
		  PM_CHUNK_PART_FREE,
		  0,
		  second + 20 * PAGE },
		{ { second + 24 * PAGE - 1, second + 24 * PAGE + 1 },
		  PM_CHUNK_PART_FREE,
		  PM_CHUNK_PART_IN_USE,
		  second + 20 * PAGE },
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
	free_fixture(f);
}

/** Extents whose fields do not agree are not counted. */
static void damage_is_reported(void **state)
{
	(void)state;
	struct fixture *f = new_fixture(&versions[0]);

	fill(f);
	struct fixture before = *f;
	size_t offset = EXTENTS + f->extents * 128;

	/* One more free region than the bitmap has */
	add_slab(f, 3, 0);
	f->base[offset + 3] ^= 0x10;
	struct pm_heap *heap = open_heap(f);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_JEMALLOC);
	assert_false(heap->complete);
	/* The entries of all of its three pages */
	assert_int_equal(heap->breaks_total, 3);
	assert_int_equal(heap->break_count, 3);
	assert_int_equal(heap->breaks[1].address, first_page + (f->next_page - 2) * PAGE);
	assert_non_null(strstr(heap->breaks[1].why, "valid extent"));
	expect_figures(&before, heap);
	pm_heap_close(heap);

	/* An extent that is being split */
	put(f->base + offset, 4 << 17);
	heap = open_heap(f);
	assert_false(heap->complete);
	assert_non_null(strstr(heap->breaks[0].why, "splitting"));
	expect_figures(&before, heap);
	pm_heap_close(heap);
	free_fixture(f);
}

static void expect_unknown(struct fixture *f)
{
	struct pm_heap *heap = open_heap(f);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_int_equal(heap->chunk_count, 0);
	assert_int_equal(heap->arena_count, 0);
	assert_false(heap->complete);
	pm_heap_close(heap);
}

static void without_a_tree(void **state)
{
	(void)state;
	struct fixture *f = new_fixture(&versions[0]);

	/* No extents */
	expect_unknown(f);
	/* A pointer in another entry of the root */
	fill(f);
	put(f->bss + ROOT + (first_page / gigabyte) * 8, 0);
	expect_unknown(f);
	/* A leaf whose entries do not fit its extents */
	put(f->bss + ROOT + (first_page / gigabyte) * 8, base + LEAF + 64);
	expect_unknown(f);
	free_fixture(f);
}

/** Opens the heap while random bytes of its structures are wrong. */
static void damage_bytes(struct fixture *f, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		size_t offset = EXTENTS + roll(f, (uint64_t)f->extents * 128);
		if (roll(f, 8) == 0)
			offset = LEAF + roll(f, f->next_page * 8);
		if (roll(f, 16) == 0)
			offset = NODE + roll(f, 256 << 10);
		f->base[offset] = (unsigned char)roll(f, 256);
	}

	struct pm_heap *heap = open_heap(f);
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
		struct fixture *f = new_fixture(&versions[0]);
		struct fixture *copy = malloc(sizeof *copy);

		f->three_levels = three_levels;
		link_leaf(f);
		fill(f);
		memcpy(copy, f, sizeof *copy);
		for (unsigned round = 0; round < 100; round++) {
			damage_bytes(f, 1 + round % 20);
			memcpy(f->base, copy->base, sizeof f->base);
		}

		free(copy);
		free_fixture(f);
	}
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
		struct fixture *f = new_fixture(&versions[0]);
		add_region(f, bss + (1 << 24), PAGE, cases[i].library, 8);

		struct pm_heap *heap = open_heap(f);
		assert_int_equal(heap->allocator, cases[i].allocator);
		assert_int_equal(heap->proof[0] != '\0', i < 4);
		assert_string_equal(heap->version, "");
		assert_int_equal(heap->chunk_count, 0);
		assert_false(heap->complete);
		pm_heap_close(heap);
		free_fixture(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_layouts),           cmocka_unit_test(regions_of_a_slab),
		cmocka_unit_test(unused_pages_are_free), cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(without_a_tree),        cmocka_unit_test(hostile_memory),
		cmocka_unit_test(allocators_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
