/* SPDX-License-Identifier: MIT */
/** @file The heap as the library sees it: the result of pm_heap_open(), the index, and where it is
 * read. Private. */
#ifndef PM_HEAP_HEAP_H
#define PM_HEAP_HEAP_H

#include "heap/index.h"
#include "heap/lookup.h"
#include "heap/window.h"

/** A heap. */
struct pm_heap_handle {
	struct pm_heap result; /**< first, so that a pointer to it is a pointer to the handle */
	struct pm_heap_source source; /**< a copy */
	/** Regions with the memory that a running process has mapped since the regions of the
	 * caller were read: `source` refers to them. NULL if there is no such memory */
	struct pm_regions *grown;
	struct pm_heap_index index;
	uint64_t opened_ns; /**< middle of the time in which it was read, CLOCK_MONOTONIC */
	struct pm_heap_window *window;
	/** Structures of the allocator outside of chunks: a pointer from there to a chunk does not
	 * mean that the program can reach this chunk. In any order; only set for jemalloc */
	struct pm_range *own;
	size_t own_count;    /**< number of elements of `own` */
	size_t own_capacity; /**< number of elements for which memory is allocated */
	/** Addresses of the cached chunks of which malloc of glibc has overwritten the first two
	 * words: the link and the key of a tcache. Ascending */
	uint64_t *keyed;
	size_t keyed_count;    /**< number of elements of `keyed` */
	size_t keyed_capacity; /**< number of elements for which memory is allocated */
	/** Pages that the allocator keeps without allocations: they are in no chunk, but can have
	 * the content of freed ones. Ascending; only set for jemalloc */
	struct pm_range *unused;
	size_t unused_count;    /**< number of elements of `unused` */
	size_t unused_capacity; /**< number of elements for which memory is allocated */
};

/**
 * As pm_heap_read_chunks(), for some chunks.
 *
 * @param chunks  chunks of the heap, ascending. The memory is read as it is now: they can have been
 *                freed since the heap was opened
 * @param count   number of chunks
 */
int pm_heap_read_picked(struct pm_heap *heap, const struct pm_chunk *chunks, size_t count,
                        pm_chunk_visitor *visit, void *context, struct pm_error *error);

/** Returns the handle of a heap that pm_heap_open() returned. */
static inline struct pm_heap_handle *pm_heap_handle(struct pm_heap *heap)
{
	return (struct pm_heap_handle *)heap;
}

/** Returns the handle of a heap that pm_heap_open() returned, for reading. */
static inline const struct pm_heap_handle *pm_heap_const_handle(const struct pm_heap *heap)
{
	return (const struct pm_heap_handle *)heap;
}

/** Returns the index of a heap that pm_heap_open() returned, for the layers above. */
static inline const struct pm_heap_index *pm_heap_index_of(const struct pm_heap *heap)
{
	return &((const struct pm_heap_handle *)heap)->index;
}

#endif
