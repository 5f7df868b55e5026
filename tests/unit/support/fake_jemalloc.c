/* SPDX-License-Identifier: MIT */
#include "support/fake_jemalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "support/target.h"

static const uint64_t library = 0x7f6385ccd000;
const uint64_t fake_jemalloc_bss = 0x7f6385cce000, fake_jemalloc_base = 0x7f6384600000;
const uint64_t fake_jemalloc_first = 0x7f6300000000 >> 30 << 30;

static const uint64_t quantum_16[FAKE_CLASSES] = { 8,   16,  32,  48,  64,  80,  96,
	                                           112, 128, 160, 192, 224, 256, 320 };
static const uint64_t quantum_8[FAKE_CLASSES] = { 8,  16, 24, 32,  40,  48,  56,
	                                          64, 80, 96, 112, 128, 160, 192 };
const struct fake_jemalloc_version fake_jemalloc_versions[FAKE_JEMALLOC_VERSIONS] = {
	{ "5.3", 17, 20, 28, true, quantum_16 },      { "5.3", 17, 20, 28, true, quantum_8 },
	{ "5.1-5.2", 16, 18, 26, false, quantum_16 }, { "5.1-5.2", 16, 18, 26, false, quantum_8 },
	{ "5.0", 15, 17, 25, false, quantum_16 },     { "5.0", 15, 17, 25, false, quantum_8 },
};

uint64_t fake_jemalloc_roll(struct fake_jemalloc *f, uint64_t limit)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return f->random % limit;
}

void fake_jemalloc_put(unsigned char *to, uint64_t word)
{
	memcpy(to, &word, sizeof word);
}

void fake_jemalloc_add_region(struct fake_jemalloc *f, uint64_t start, size_t size,
                              const char *mapping, uint64_t inode)
{
	const struct pm_region region = { .start = start,
		                          .end = start + size,
		                          .perms = PM_PERM_READ | PM_PERM_WRITE,
		                          .inode = inode,
		                          .mapping = mapping };
	assert_int_equal(pm_regions_append(&f->regions, &region, NULL), 0);
}

void fake_jemalloc_link(struct fake_jemalloc *f)
{
	memset(f->bss, 0, sizeof f->bss);
	if (!f->three_levels) {
		fake_jemalloc_put(f->bss + FAKE_ROOT + (fake_jemalloc_first >> 30) * 8,
		                  fake_jemalloc_base + FAKE_LEAF);
		return;
	}

	fake_jemalloc_put(f->bss + FAKE_ROOT + (fake_jemalloc_first >> 42) * 8,
	                  fake_jemalloc_base + FAKE_NODE);
	fake_jemalloc_put(f->base + FAKE_NODE + (fake_jemalloc_first >> 27 & 0x7fff) * 8,
	                  fake_jemalloc_base + FAKE_LEAF);
}

struct fake_jemalloc *fake_jemalloc_create(const struct fake_jemalloc_version *version)
{
	struct fake_jemalloc *f = calloc(1, sizeof *f);

	f->version = version;
	f->random = UINT64_C(0x9e3779b97f4a7c15);
	f->ranges[0] = (struct pm_fake_range){ fake_jemalloc_base, f->base, sizeof f->base };
	f->ranges[1] = (struct pm_fake_range){ library, f->data, sizeof f->data };
	f->ranges[2] = (struct pm_fake_range){ fake_jemalloc_bss, f->bss, sizeof f->bss };
	f->target = (struct pm_fake_target){ .ranges = f->ranges, .count = 3 };
	f->reader = pm_fake_reader(&f->target);

	pm_regions_init(&f->regions);
	fake_jemalloc_add_region(f, fake_jemalloc_base, sizeof f->base, "", 0);
	fake_jemalloc_add_region(f, library, sizeof f->data, "/usr/lib/libany.so", 7);
	fake_jemalloc_add_region(f, fake_jemalloc_bss, sizeof f->bss, "", 0);
	f->source = (struct pm_heap_source){ .regions = &f->regions, .reader = &f->reader };

	fake_jemalloc_link(f);
	f->next_page = 5;
	return f;
}

void fake_jemalloc_destroy(struct fake_jemalloc *f)
{
	pm_regions_deinit(&f->regions);
	free(f);
}

void fake_jemalloc_put_entry(struct fake_jemalloc *f, uint64_t page, uint64_t extent,
                             unsigned class, bool slab)
{
	if (!f->three_levels) {
		fake_jemalloc_put(f->base + FAKE_LEAF + page * 8,
		                  (uint64_t)class << 48 | extent | slab);
		return;
	}

	assert_true(page < 1 << 15);
	fake_jemalloc_put(f->base + FAKE_LEAF + page * 16, extent);
	fake_jemalloc_put(f->base + FAKE_LEAF + page * 16 + 8, class << 1 | slab);
}

unsigned char *fake_jemalloc_add_extent(struct fake_jemalloc *f, uint64_t pages, unsigned arena,
                                        unsigned state, unsigned class, bool slab)
{
	/* Up to 5.2, extents are aligned to 64 bytes. */
	size_t bytes = f->version->three_bits ? 128 : 192, number = f->extents++, offset;
	if (f->alternate)
		number = number / 2 + number % 2 * 1000;

	offset = FAKE_EXTENTS + number * bytes;

	uint64_t first = f->next_page, last = first + pages - 1, step = 1;
	if (!slab && pages > 1)
		step = pages - 1;

	unsigned char *extent = f->base + offset;

	assert_true(offset + 128 <= sizeof f->base && last < 1 << 18);
	fake_jemalloc_put(extent, arena | (uint64_t)slab << 12 | 1 << 13 |
	                                  state << f->version->state |
	                                  (uint64_t)class << f->version->class);
	fake_jemalloc_put(extent + 8, fake_jemalloc_first + first * FAKE_PAGE);
	fake_jemalloc_put(extent + 16, pages * FAKE_PAGE | fake_jemalloc_roll(f, FAKE_PAGE));
	for (uint64_t page = first; page <= last; page += step)
		fake_jemalloc_put_entry(f, page, fake_jemalloc_base + offset, class, slab);

	f->next_page += pages;
	return extent;
}

void fake_jemalloc_add_slab(struct fake_jemalloc *f, unsigned class, unsigned arena)
{
	uint64_t size = f->version->classes[class], pages = 1, word;
	while (pages * FAKE_PAGE % size)
		pages++;

	unsigned char *extent = fake_jemalloc_add_extent(f, pages, arena, 0, class, true);
	uint64_t regions = pages * FAKE_PAGE / size, free = 0;

	/* jemalloc does not clear the words of the bitmap that a slab does not need. */
	memset(extent + 64, 0xa5, 64);
	for (uint64_t i = 0; i < (regions + 63) / 64; i++) {
		word = fake_jemalloc_roll(f, 3) ? fake_jemalloc_roll(f, UINT64_MAX) : 0;
		if (i == regions / 64)
			word &= (UINT64_C(1) << regions % 64) - 1;
		fake_jemalloc_put(extent + 64 + i * 8, word);
		free += (uint64_t)__builtin_popcountll(word);
	}

	memcpy(&word, extent, 8);
	fake_jemalloc_put(extent, word | free << f->version->free);
	f->free += free * size;
	f->free_count += free;
	f->in_use += (regions - free) * size;
	f->chunks += regions - free;
	f->system += pages * FAKE_PAGE;
}

void fake_jemalloc_add_large(struct fake_jemalloc *f, unsigned offset)
{
	unsigned class = f->version->classes == quantum_16 ? 36 : 39;
	unsigned char *extent = fake_jemalloc_add_extent(f, 5, 0, 0, class, false);

	fake_jemalloc_put(extent + 8,
	                  fake_jemalloc_first + (f->next_page - 5) * FAKE_PAGE + offset);
	f->in_use += 16384;
	f->chunks++;
	f->system += 5 * FAKE_PAGE;
}

void fake_jemalloc_add_unused(struct fake_jemalloc *f, uint64_t pages, unsigned state)
{
	unsigned char *extent = fake_jemalloc_add_extent(f, pages, 0, state, 232, false);

	/* An unused extent that was a slab keeps this flag. */
	if (fake_jemalloc_roll(f, 2))
		extent[1] |= 0x10;
	if (state == 3) {
		f->retained += pages * FAKE_PAGE;
		return;
	}

	f->system += pages * FAKE_PAGE;
	f->free += pages * FAKE_PAGE;
	f->unused_pages += pages * FAKE_PAGE;
}

void fake_jemalloc_fill(struct fake_jemalloc *f)
{
	for (unsigned i = 0; i < 300; i++) {
		fake_jemalloc_add_slab(f, (unsigned)fake_jemalloc_roll(f, FAKE_CLASSES), i % 2 * 3);
		if (i % 10 == 0)
			fake_jemalloc_add_large(f, i % 20 * 64);
		if (i % 10 == 1)
			fake_jemalloc_add_unused(f, 1 + fake_jemalloc_roll(f, 20),
			                         1 + (unsigned)fake_jemalloc_roll(f, 3));
		/* The entry of an extent that was removed */
		if (i % 10 == 2)
			fake_jemalloc_put_entry(f, f->next_page++, 0, 232, false);
	}
}

void fake_jemalloc_put_bin(struct fake_jemalloc *f, unsigned number, const uint64_t *pointers,
                           unsigned count)
{
	unsigned char *bin = f->bss + FAKE_BINS_AT + (size_t)number * FAKE_BIN_SIZE;
	size_t start = FAKE_STACKS_AT + 8 + (size_t)number * FAKE_SLOTS * 8;
	size_t end = start + FAKE_SLOTS * 8;
	uint64_t head = fake_jemalloc_base + end - (uint64_t)count * 8;
	uint16_t full = (uint16_t)(fake_jemalloc_base + start);
	uint16_t empty = (uint16_t)(fake_jemalloc_base + end);

	fake_jemalloc_put(bin, head);
	fake_jemalloc_put(bin + 8, 12345); /* requests */
	memcpy(bin + 16, &empty, 2);
	memcpy(bin + 18, &full, 2);
	memcpy(bin + 20, &empty, 2);
	for (unsigned i = 0; i < count; i++)
		fake_jemalloc_put(f->base + end - (count - i) * 8, pointers[i]);
}

struct pm_heap *fake_jemalloc_open(struct fake_jemalloc *f)
{
	struct pm_error error = { 0 };
	struct pm_heap *heap = NULL;
	must(pm_heap_open(&f->source, &heap, &error), &error);
	return heap;
}

void fake_jemalloc_expect(const struct fake_jemalloc *f, const struct pm_heap *heap)
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
