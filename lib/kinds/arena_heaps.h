/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The heaps of glibc's malloc arenas, proven by the `heap_info` at the start of each
 * (malloc/arena.c of glibc). Private.
 *
 * An arena other than the main one lives in heaps of HEAP_MAX_SIZE bytes, each at a multiple of
 * that. A heap begins with four pointer-sized numbers: `ar_ptr` (the arena), `prev` (the arena's
 * heap before this one), `size` (bytes in use by malloc) and `mprotect_size` (bytes made
 * accessible); what lies behind those is inaccessible. The arena itself stands right behind the
 * heap_info of its first heap, the one whose `prev` is 0.
 */
#ifndef PM_KINDS_ARENA_HEAPS_H
#define PM_KINDS_ARENA_HEAPS_H

#include "kinds/rule.h"

/** One heap, or what may be one. */
struct pm_arena_heap {
	struct pm_region *region; /**< the region that holds its start */
	uint64_t start;           /**< a multiple of the largest heap size */
	uint64_t arena;           /**< ar_ptr */
	uint64_t prev;            /**< start of the arena's heap before this one, 0 for the first */
	uint64_t size;            /**< bytes that malloc uses */
	uint64_t mprotect_size;   /**< bytes that are accessible */
	bool is_plausible;        /**< the numbers above fit each other and the region */
	unsigned index; /**< which heap of its arena it is, from 1; 0 where the chain to the first
	                   is not proven */
	unsigned of;    /**< how many heaps of its arena are proven */
	unsigned arena_number; /**< from 1, by descending address: new arenas mostly come below the
	                          older ones */
};

/** All of them, by ascending address. */
struct pm_arena_heaps {
	struct pm_arena_heap *items;
	size_t count;
	size_t capacity;
	uint64_t heap_max; /**< HEAP_MAX_SIZE */
};

/**
 * Looks at the headers that were read where a heap may begin, and behind full heaps.
 * @param heaps filled; the caller frees its items, also on failure
 */
int pm_arena_heaps_read(struct pm_kinds_context *context, struct pm_arena_heaps *heaps,
                        struct pm_error *error);

/** Follows `prev` from each heap to the first one of its arena, and numbers heaps and arenas. */
int pm_arena_heaps_link(struct pm_arena_heaps *heaps, unsigned word, struct pm_error *error);

/** The heap that starts at an address, or NULL. */
struct pm_arena_heap *pm_arena_heap_at(const struct pm_arena_heaps *heaps, uint64_t start);

#endif
