/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The arenas of pymalloc. An array of struct arena_object has the address of each arena, and each
 * arena is divided into pools. Each pool contains the index of its arena in the array, so an array
 * is recognised without symbols. Private.
 */
#ifndef PM_RUNTIMES_PYTHON_ARENAS_H
#define PM_RUNTIMES_PYTHON_ARENAS_H

#include "runtimes/context.h"

/** Bytes of struct pool_header. */
enum { PM_PYTHON_POOL_HEADER = 48 };

/** Bytes of the largest pool. */
enum { PM_PYTHON_POOL_MAX = 16384 };

/** The sizes that a build of CPython uses. */
struct pm_python_layout {
	uint32_t arena_size; /**< bytes of an arena */
	uint32_t pool_size;  /**< bytes of a pool */
};

/** An arena. */
struct pm_python_arena {
	uint64_t start; /**< first address */
	uint64_t base;  /**< address of the first pool */
	uint64_t end;   /**< address after the last pool that was ever used */
	uint32_t index; /**< index in the array */
	uint32_t pools; /**< number of pools, used or not */
	bool proven;    /**< its first pool refers to it */
};

/** All arenas. */
struct pm_python_arenas {
	struct pm_python_layout layout; /**< of all arenas */
	struct pm_python_arena *items;  /**< the arenas, sorted by address; owned */
	size_t count;                   /**< number of elements of `items` */
	size_t capacity;                /**< allocated elements of `items` */
	size_t doubtful;                /**< entries of arrays that are not valid */
};

/** A pool header, as in memory. */
struct pm_python_pool {
	uint32_t used;        /**< number of blocks in use */
	uint32_t padding;     /**< not used */
	uint64_t free;        /**< first free block; 0 if there is none */
	uint64_t next;        /**< another pool */
	uint64_t previous;    /**< another pool */
	uint32_t arena;       /**< index of the arena */
	uint32_t class;       /**< size class */
	uint32_t next_offset; /**< where the first block starts that was never used */
	uint32_t max_offset;  /**< maximum of `next_offset` that is the start of a block */
};

/**
 * Returns whether the fields of a pool header agree with each other.
 *
 * @param pool       the header
 * @param pool_size  bytes of a pool
 * @param arena      index of the arena that contains the pool
 */
bool pm_python_pool_is_valid(const struct pm_python_pool *pool, uint32_t pool_size, uint32_t arena);

/**
 * Adds the arenas of an array, if the bytes there are an array of arenas.
 *
 * @param context  the context
 * @param array    address of the array; anything
 * @param count    number of its entries; anything
 * @param strict   true: nothing is added if an entry is not valid
 * @param arenas   receives the arenas
 * @return         whether it is an array of arenas. Memory can be exhausted: context->failure
 */
bool pm_python_arenas_add(struct pm_runtimes_context *context, uint64_t array, uint32_t count,
                          bool strict, struct pm_python_arenas *arenas);

/** Returns whether a number can be that of the entries of an array. */
bool pm_python_arenas_is_count(uint32_t count);

/** Sorts the arenas by address, and removes those that overlap others. */
void pm_python_arenas_sort(struct pm_python_arenas *arenas);

/** Releases the arenas. */
void pm_python_arenas_deinit(struct pm_python_arenas *arenas);

#endif
