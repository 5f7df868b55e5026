/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Extents of jemalloc 5: ranges of pages that are a slab of regions of one size, one large
 * allocation, or unused. The structure is called edata_t from version 5.3 on, extent_t before.
 * Private.
 */
#ifndef PM_HEAP_JEMALLOC_EXTENT_H
#define PM_HEAP_JEMALLOC_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/** Number of bytes of the structure that are read */
	PM_JEMALLOC_EXTENT_SIZE = 128,
	/** Maximum number of regions of a slab */
	PM_JEMALLOC_REGIONS_MAX = 512,
	/** Page size of jemalloc on x86-64 */
	PM_JEMALLOC_PAGE = 4096,
};

/** State of an extent. */
enum pm_jemalloc_state {
	PM_JEMALLOC_ACTIVE = 0, /**< used for a slab or for a large allocation */
	PM_JEMALLOC_DIRTY,      /**< unused; its pages are kept */
	PM_JEMALLOC_MUZZY,      /**< unused; the kernel may take its pages (MADV_FREE) */
	PM_JEMALLOC_RETAINED,   /**< unused address space without pages */
	PM_JEMALLOC_CHANGING,   /**< being split or merged */
};

/** How versions of jemalloc, and options of their builds, store extents. */
struct pm_jemalloc_layout {
	const char *versions; /**< such as "5.3" */
	unsigned quantum; /**< lg_quantum of the build: 4, or 3 as in the jemalloc within redis */
	/* Positions in the first word of an extent */
	unsigned state_shift; /**< first bit of the state */
	unsigned state_bits;  /**< number of bits of the state */
	unsigned class_shift; /**< first bit of the size class */
	unsigned free_shift;  /**< first bit of the number of free regions */
	unsigned used_bits;   /**< bits from this one on are 0 */
};

/** Number of layouts. */
enum { PM_JEMALLOC_LAYOUTS = 6 };

/** The layouts. */
extern const struct pm_jemalloc_layout pm_jemalloc_layouts[PM_JEMALLOC_LAYOUTS];

/** An extent. */
struct pm_jemalloc_extent {
	uint64_t address;    /**< address of the first region, or of the allocation */
	uint64_t size;       /**< size in bytes, a multiple of the page size */
	uint64_t class_size; /**< size of a region or of the allocation in bytes */
	enum pm_jemalloc_state state;
	uint32_t arena;   /**< number of the arena, at most 4095 */
	uint32_t regions; /**< number of regions of a slab; 0 if it is not a slab */
	uint32_t free;    /**< number of free regions of a slab */
	/** Bit N: region N of a slab is free */
	uint64_t free_regions[PM_JEMALLOC_REGIONS_MAX / 64];
};

/**
 * Returns the size of a size class.
 *
 * @param layout  the layout
 * @param number  number of the class
 * @return        bytes; 0 if there is no class of this number
 */
uint64_t pm_jemalloc_class_size(const struct pm_jemalloc_layout *layout, unsigned number);

/**
 * Decodes an extent, and checks that its fields agree with each other: for a slab, the number of
 * free regions with the bitmap of regions, and both with the size.
 *
 * @param layout  the layout
 * @param bytes   PM_JEMALLOC_EXTENT_SIZE bytes
 * @param extent  receives the extent
 * @return        false if this is not an extent of this layout
 */
bool pm_jemalloc_extent_decode(const struct pm_jemalloc_layout *layout, const void *bytes,
                               struct pm_jemalloc_extent *extent);

#endif
