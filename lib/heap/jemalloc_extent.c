/* SPDX-License-Identifier: MIT */
/*
 * The layout of extents on x86-64, from the sources of jemalloc 5.0 to 5.3 (extent_structs.h,
 * edata.h, sc.h):
 *
 *	  0  bits: arena 0-11, slab 12, then more flags, state, size class, number of free regions
 *	  8  address
 *	 16  size, with a number in the lower 12 bits
 *	 64  bitmap of the free regions of a slab
 */
#include "heap/jemalloc_extent.h"

#include <string.h>

enum {
	ARENA_BITS = 12,
	CLASS_BITS = 8,
	FREE_BITS = 10,
	ADDRESS = 8,
	SIZE = 16,
	BITMAP = 64,
	WORDS = PM_JEMALLOC_REGIONS_MAX / 64,
	/* Allocations of this size are not in slabs */
	LARGE_MIN = 16384,
	/* Maximum number of bytes of a large extent that are not part of the allocation */
	PADDING_MAX = 2 * PM_JEMALLOC_PAGE,
};

/* Addresses of user space are below. */
static const uint64_t address_end = UINT64_C(1) << 47;

#define LAYOUTS(versions, ...)           \
	{ versions, 4, __VA_ARGS__ },    \
	{                                \
		versions, 3, __VA_ARGS__ \
	}

const struct pm_jemalloc_layout pm_jemalloc_layouts[PM_JEMALLOC_LAYOUTS] = {
	LAYOUTS("5.3", 17, 3, 20, 28, 45),
	LAYOUTS("5.1-5.2", 16, 2, 18, 26, 64),
	LAYOUTS("5.0", 15, 2, 17, 25, 64),
};

uint64_t pm_jemalloc_class_size(const struct pm_jemalloc_layout *layout, unsigned number)
{
	/* Up to here, classes are multiples of the quantum: 8, 16, 24, 32 or 8, 16, 32, 48, 64. */
	unsigned linear = layout->quantum == 3 ? 4 : 5;
	if (layout->quantum == 4 && number == 0)
		return 8;
	if (number < linear)
		return (number + (layout->quantum == 3)) * (UINT64_C(1) << layout->quantum);

	/* Then four classes for each power of two. */
	unsigned group = (number - linear) / 4;
	if (group > 40)
		return 0;

	uint64_t base = UINT64_C(4) << (layout->quantum + group);
	return base + base / 4 * ((number - linear) % 4 + 1);
}

static uint64_t bits(uint64_t word, unsigned shift, unsigned count)
{
	return word >> shift & ((UINT64_C(1) << count) - 1);
}

/**
 * Reads the regions of a slab. jemalloc sets only as many words of the bitmap as the regions need;
 * the rest of the last word is 0.
 * @return false if the bitmap does not match
 */
static bool decode_slab(const unsigned char *bytes, struct pm_jemalloc_extent *extent)
{
	uint64_t regions = extent->size / extent->class_size;
	uint32_t free = 0;
	if (extent->class_size >= LARGE_MIN || regions == 0 || regions > PM_JEMALLOC_REGIONS_MAX ||
	    extent->address % PM_JEMALLOC_PAGE != 0)
		return false;

	memcpy(extent->free_regions, bytes + BITMAP, (size_t)(regions + 63) / 64 * 8);
	for (unsigned i = 0; i < WORDS; i++)
		free += (uint32_t)__builtin_popcountll(extent->free_regions[i]);

	extent->regions = (uint32_t)regions;
	return free == extent->free &&
	       (regions % 64 == 0 || extent->free_regions[regions / 64] >> regions % 64 == 0);
}

/** Tests whether the size of an extent fits a large allocation. */
static bool is_large(const struct pm_jemalloc_extent *extent)
{
	/* A sampled small allocation has an extent for itself (opt.prof). */
	if (extent->class_size < LARGE_MIN)
		return extent->size <= LARGE_MIN + PADDING_MAX;

	return extent->class_size <= extent->size &&
	       extent->size - extent->class_size <= PADDING_MAX;
}

bool pm_jemalloc_extent_decode(const struct pm_jemalloc_layout *layout, const void *bytes,
                               struct pm_jemalloc_extent *extent)
{
	uint64_t word, size;
	const unsigned char *from = bytes;

	*extent = (struct pm_jemalloc_extent){ 0 };
	memcpy(&word, from, sizeof word);
	memcpy(&extent->address, from + ADDRESS, sizeof extent->address);
	memcpy(&size, from + SIZE, sizeof size);
	if (layout->used_bits < 64 && word >> layout->used_bits)
		return false;

	unsigned state = (unsigned)bits(word, layout->state_shift, layout->state_bits);

	extent->state = state < PM_JEMALLOC_CHANGING ? state : PM_JEMALLOC_CHANGING;
	extent->arena = (uint32_t)bits(word, 0, ARENA_BITS);
	extent->size = size & ~(uint64_t)(PM_JEMALLOC_PAGE - 1);
	if (extent->size == 0 || extent->address == 0 || extent->address >= address_end ||
	    extent->size > address_end - extent->address)
		return false;
	/* The other fields keep their values when an extent becomes unused. */
	if (extent->state != PM_JEMALLOC_ACTIVE)
		return true;

	unsigned class = (unsigned)bits(word, layout->class_shift, CLASS_BITS);

	extent->class_size = pm_jemalloc_class_size(layout, class);
	extent->free = (uint32_t)bits(word, layout->free_shift, FREE_BITS);
	if (extent->class_size == 0)
		return false;

	bool slab = bits(word, ARENA_BITS, 1);
	return slab ? decode_slab(from, extent) : is_large(extent);
}
