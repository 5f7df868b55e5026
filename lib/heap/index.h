/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The index of all chunks: which chunk contains an address, and which state it has. Private.
 *
 * The index has segments: ranges in which chunks are contiguous, except for gaps. A segment has two
 * bitmaps with a bit for each unit of 16 bytes: `starts` marks the first unit of each chunk and of
 * each gap; in `states` the first two units of a chunk contain its state. (A chunk has at least two
 * units.) A count of starts for each 64 units makes the number of a chunk known in constant time.
 * So the index takes 2.5 bits for 16 bytes of heap: 20 MiB for 1 GiB.
 */
#ifndef PM_HEAP_INDEX_H
#define PM_HEAP_INDEX_H

#include <procmem/heap.h>

enum { PM_HEAP_UNIT = 16 };

/** State of a gap: bytes of a segment that are in no chunk, such as fenceposts. */
enum { PM_CHUNK_GAP = 7 };

/** A range of chunks. */
struct pm_heap_segment {
	uint64_t start;   /**< first address, a multiple of PM_HEAP_UNIT */
	uint64_t end;     /**< address after the last byte */
	uint32_t arena;   /**< index of the arena, or PM_CHUNK_MAPPED */
	uint32_t first;   /**< number of the first chunk; set by pm_heap_index_finish() */
	uint32_t count;   /**< number of chunks, without gaps */
	uint64_t lead;    /**< mapped chunks only: distance from `start` to the header that belongs
	                     to the address that malloc returned (posix_memalign(3)) */
	uint64_t *starts; /**< bitmap; NULL for a mapped chunk, which fills its segment */
	uint64_t *states; /**< bitmap; NULL for a mapped chunk */
	uint32_t *ranks;  /**< for each 64 units: number of chunks before them in the segment */
};

/** The index. Zero-initialise it. */
struct pm_heap_index {
	struct pm_heap_segment *segments; /**< ascending after pm_heap_index_finish() */
	size_t count;
	size_t capacity;
	uint32_t chunks;  /**< number of all chunks; set by pm_heap_index_finish() */
	uint64_t lowest;  /**< address of the first segment */
	uint64_t highest; /**< end of the last segment */
	uint32_t header;  /**< bytes of a header before the address that malloc returned: 16 in
	                     glibc, 0 in jemalloc */
	uint32_t overlap; /**< bytes of the next chunk that the program may use: 8 in glibc */
};

/**
 * Adds a segment. Its chunks are added next, with pm_heap_index_add().
 * @return the segment, or NULL with PM_ERROR_RESOURCES; valid until the next segment is added
 */
struct pm_heap_segment *pm_heap_index_add_segment(struct pm_heap_index *index, uint64_t start,
                                                  uint64_t end, uint32_t arena,
                                                  struct pm_error *error);

/**
 * Adds a mapped chunk as a segment of its own.
 * @param lead  see pm_heap_segment.lead
 * @return      0, or -1 with PM_ERROR_RESOURCES
 */
int pm_heap_index_add_mapped(struct pm_heap_index *index, uint64_t address, uint64_t size,
                             uint64_t lead, struct pm_error *error);

/**
 * Adds a chunk, or a gap of any size, to the segment that was added last. Addresses must ascend and
 * must be contiguous; the caller fills what is between two chunks with a gap. What follows the last
 * chunk must be added as a gap, too.
 *
 * @param state  enum pm_chunk_state or PM_CHUNK_GAP
 */
void pm_heap_index_add(struct pm_heap_index *index, uint64_t address, uint64_t size,
                       unsigned state);

/**
 * Sorts the segments and numbers the chunks. If there are more than 2^32 - 2 chunks, or if segments
 * overlap, the later ones are removed.
 * @return 0, or -1 with PM_ERROR_RESOURCES
 */
int pm_heap_index_finish(struct pm_heap_index *index, struct pm_error *error);

/** Releases the memory of an index. */
void pm_heap_index_deinit(struct pm_heap_index *index);

/** Returns the segment that contains an address, or NULL. After pm_heap_index_finish(). */
const struct pm_heap_segment *pm_heap_index_segment(const struct pm_heap_index *index,
                                                    uint64_t address);

/** As pm_heap_find(). After pm_heap_index_finish(). */
bool pm_heap_index_find(const struct pm_heap_index *index, uint64_t address,
                        struct pm_chunk *chunk);

/** As pm_heap_chunk(). After pm_heap_index_finish(). */
void pm_heap_index_chunk(const struct pm_heap_index *index, uint32_t number,
                         struct pm_chunk *chunk);

/**
 * Returns the number of the chunk in use into which a pointer points: from pm_chunk.start to
 * pm_chunk.end - 1. The graph calls this for each word of the heap, so it must be fast: constant
 * time in the segment of the previous call, otherwise a binary search over segments.
 *
 * @param last  index of the segment of the previous call, updated; 0 before the first call
 * @return      the number, or UINT32_MAX if there is no such chunk
 */
uint32_t pm_heap_index_points_to(const struct pm_heap_index *index, uint64_t pointer, size_t *last);

/** Changes the state of the chunk that begins at an address. Nothing happens if there is none. */
void pm_heap_index_set_state(struct pm_heap_index *index, uint64_t address,
                             enum pm_chunk_state state);

#endif
