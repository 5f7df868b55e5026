/* SPDX-License-Identifier: MIT */
/** @file Finds chunks in an index, after pm_heap_index_finish(). Private. */
#ifndef PM_HEAP_LOOKUP_H
#define PM_HEAP_LOOKUP_H

#include "heap/index.h"

/** Returns the segment that contains an address, or NULL. */
const struct pm_heap_segment *pm_heap_index_segment(const struct pm_heap_index *index,
                                                    uint64_t address);

/** As pm_heap_find(). */
bool pm_heap_index_find(const struct pm_heap_index *index, uint64_t address,
                        struct pm_chunk *chunk);

/**
 * Returns where the next chunk can start.
 *
 * @param address  an address that is in no chunk, according to pm_heap_index_find()
 * @return         the end of the gap that contains the address, or the start of the next segment;
 *                 UINT64_MAX if there is no further segment
 */
uint64_t pm_heap_index_gap_end(const struct pm_heap_index *index, uint64_t address);

/** As pm_heap_chunk(). Takes about the same time for all numbers. */
void pm_heap_index_chunk(const struct pm_heap_index *index, uint32_t number,
                         struct pm_chunk *chunk);

/** A position between two chunks. Zero-initialise it to start before the first chunk. */
struct pm_heap_cursor {
	size_t segment; /**< index of the segment */
	uint64_t unit;  /**< number of the unit, or of the chunk in a uniform segment */
	uint32_t count; /**< number of chunks of the segment before the position */
	uint32_t gap;   /**< number of gaps of the segment before the position */
};

/**
 * Returns the next chunk in ascending address order. This is the fastest way to visit all chunks.
 *
 * @param cursor  the position; moved past the chunk
 * @param chunk   receives the chunk
 * @return        false if there are no more chunks
 */
bool pm_heap_index_next(const struct pm_heap_index *index, struct pm_heap_cursor *cursor,
                        struct pm_chunk *chunk);

/** As pm_heap_index_points_to(), for a pointer between the lowest and the highest chunk. */
uint32_t pm_heap_index_locate(const struct pm_heap_index *index, uint64_t pointer, size_t *last);

/**
 * Returns the number of the chunk in use into which a pointer points: from pm_chunk.start to
 * pm_chunk.end - 1. Takes constant time in the segment of the previous call, otherwise the time of
 * a binary search over segments.
 *
 * @param last  index of the segment of the previous call, updated; 0 before the first call
 * @return      the number, or UINT32_MAX if there is no such chunk
 */
static inline uint32_t pm_heap_index_points_to(const struct pm_heap_index *index, uint64_t pointer,
                                               size_t *last)
{
	if (pointer - index->lowest >= index->highest - index->lowest)
		return UINT32_MAX;

	return pm_heap_index_locate(index, pointer, last);
}

/**
 * Prefetches what pm_heap_index_points_to() needs for a pointer. At random addresses, this makes
 * lookups twice as fast if it is called about 8 lookups in advance.
 *
 * @param last  index of the segment of the previous call of pm_heap_index_points_to()
 */
static inline void pm_heap_index_prefetch(const struct pm_heap_index *index, uint64_t pointer,
                                          size_t last)
{
	if (last >= index->count)
		return;

	const struct pm_heap_segment *segment = &index->segments[last];
	uint64_t offset = pointer - segment->start;
	if (offset < segment->end - segment->start && segment->blocks)
		__builtin_prefetch(&segment->blocks[offset / PM_HEAP_UNIT / PM_HEAP_BLOCK_UNITS]);
}

/**
 * Changes the state of the chunk whose header is at an address. Nothing happens if there is none.
 * Numbers of chunks do not change.
 */
void pm_heap_index_set_state(struct pm_heap_index *index, uint64_t address,
                             enum pm_chunk_state state);

#endif
