/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the heaps of glibc's malloc arenas. A heap is proven by the `heap_info` at its start
 * (malloc/arena.c of glibc). Private.
 *
 * Each arena except the main arena consists of heaps of HEAP_MAX_SIZE bytes that are aligned to
 * that size. A heap begins with four pointer-sized numbers: `ar_ptr` (the arena), `prev` (the
 * previous heap of the arena), `size` (bytes that malloc uses) and `mprotect_size` (accessible
 * bytes). The rest of the heap is inaccessible. The arena structure follows the heap_info of its
 * first heap, whose `prev` is 0.
 */
#ifndef PM_KINDS_ARENA_HEAPS_H
#define PM_KINDS_ARENA_HEAPS_H

#include "kinds/rule.h"

/** A heap, or an address range that may be a heap. */
struct pm_arena_heap {
	struct pm_region *region; /**< the region that contains the start of the heap */
	uint64_t start;           /**< start address, a multiple of the heap size */
	uint64_t arena;           /**< ar_ptr: address of the arena */
	uint64_t prev; /**< prev: address of the previous heap of the arena; 0 in the first heap */
	uint64_t size; /**< size: bytes that malloc uses */
	uint64_t mprotect_size; /**< mprotect_size: bytes that are accessible */
	bool is_plausible; /**< whether `arena`, `prev`, `size` and `mprotect_size` are consistent
	                      with each other and with the region */
	/** Index of the heap in its arena, from 1. 0 if the chain of `prev` from this heap to the
	 * first heap of the arena is not proven. */
	unsigned index;
	unsigned of; /**< number of heaps of the arena whose index is known */
	/** Number of the arena, from 1; 0 if the first heap of the arena was not found. Arenas are
	 * numbered by descending address, because new arenas are mostly below older ones. */
	unsigned arena_number;
};

/** All heaps, by ascending address. */
struct pm_arena_heaps {
	struct pm_arena_heap *items;
	size_t count;
	size_t capacity;
	uint64_t heap_max; /**< HEAP_MAX_SIZE of the target, in bytes */
};

/**
 * Collects the candidates for heaps: parses the heap_info at the start of each region that may
 * begin with a heap, and at the end of each full heap.
 *
 * @param context  the context
 * @param heaps    receives the heaps; the caller frees `items`, also on failure
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_arena_heaps_read(struct pm_kinds_context *context, struct pm_arena_heaps *heaps,
                        struct pm_error *error);

/**
 * Follows `prev` from each heap to the first heap of its arena, and sets `index`, `of` and
 * `arena_number` of the heaps.
 *
 * @param heaps  the heaps
 * @param word   bytes of a pointer in the target
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_arena_heaps_link(struct pm_arena_heaps *heaps, unsigned word, struct pm_error *error);

/** Returns the heap that starts at an address, or NULL if there is none. */
struct pm_arena_heap *pm_arena_heap_at(const struct pm_arena_heaps *heaps, uint64_t start);

#endif
