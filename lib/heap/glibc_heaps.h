/* SPDX-License-Identifier: MIT */
/** @file Finds the memory of an arena: the brk heap, or heaps that begin with heap_info. Private.
 */
#ifndef PM_HEAP_GLIBC_HEAPS_H
#define PM_HEAP_GLIBC_HEAPS_H

#include "heap/glibc_context.h"

/** A contiguous part of the memory of an arena. */
struct pm_glibc_heap {
	uint64_t start; /**< first address that counts towards system_mem */
	uint64_t first; /**< address of the first chunk, a multiple of 16 */
	uint64_t end;   /**< address after the last byte */
	bool is_part;   /**< mapped part of the main arena: ends at its fenceposts, or at `end` */
};

/** The heaps of an arena. Zero-initialise it; release `items` with free(3). */
struct pm_glibc_heaps {
	struct pm_glibc_heap *items; /**< each heap once */
	size_t count;
	size_t capacity;
	bool complete; /**< all heaps of the arena were found */
};

/**
 * Finds the heaps of an arena. For the main arena this is only the brk heap: from mp_.sbrk_base to
 * the end of the top chunk.
 *
 * @param glibc  the arenas
 * @param arena  index of the arena
 * @param heaps  receives the heaps
 * @param error  PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       0 or -1
 */
int pm_glibc_heaps_find(struct pm_glibc *glibc, size_t arena, struct pm_glibc_heaps *heaps,
                        struct pm_error *error);

/**
 * Reads the end of a heap again.
 *
 * @param glibc  the arenas; the arena was read again before
 * @param arena  index of the arena
 * @param heap   the heap
 * @param end    receives the end
 * @param error  PM_ERROR_GONE, PM_ERROR_CANCELLED
 * @return       1; 0 if the heap has changed so that its end is not known; -1
 */
int pm_glibc_heaps_end(struct pm_glibc *glibc, size_t arena, const struct pm_glibc_heap *heap,
                       uint64_t *end, struct pm_error *error);

#endif
