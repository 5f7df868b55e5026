/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The index of all chunks: which chunk contains an address, and which state it has. Private.
 *
 * The index has segments: ranges of addresses with chunks of one arena. There are two types:
 *
 * - A segment with a bitmap has chunks of any sizes, with gaps between them. It has a block for
 *   each 64 units of 16 bytes: which units are the first of a chunk or of a gap, the states of the
 *   chunks, and two numbers that make lookups take constant time. A block has 24 bytes, so the
 *   index takes 24 MiB for 1 GiB of heap.
 * - A uniform segment has chunks of the same size without gaps. A mapped chunk is a uniform segment
 *   with one chunk, and so is each chunk from PM_HEAP_LARGE bytes on.
 */
#ifndef PM_HEAP_INDEX_H
#define PM_HEAP_INDEX_H

#include <procmem/heap.h>

enum {
	/** Chunks in segments with a bitmap start and end at multiples of this number of bytes. */
	PM_HEAP_UNIT = 16,
	/** Minimum size in bytes of a chunk in a segment with a bitmap: two units */
	PM_HEAP_CHUNK_MIN = 32,
	/** Number of units in a block */
	PM_HEAP_BLOCK_UNITS = 64,
	/** Distance of two samples (pm_heap_segment.samples) in chunks and gaps */
	PM_HEAP_SAMPLE = 64,
	/** Chunks and gaps from this size in bytes on are never part of a bitmap. Otherwise, a
	 * false size in a damaged heap could make the bitmap larger than the memory of the target
	 */
	PM_HEAP_LARGE = 256 * 1024,
};

/** State of a gap: bytes of a segment that are in no chunk, such as fenceposts. */
enum { PM_CHUNK_GAP = 7 };

/** 64 units of a segment with a bitmap. */
struct pm_heap_block {
	uint64_t starts; /**< bit N: unit N is the first unit of a chunk or of a gap */
	/** In the first two units of a chunk: bit 1 and bit 0 of its state. In the first unit of a
	 * gap: 1 */
	uint64_t states;
	uint32_t rank; /**< number of chunks and gaps that start in earlier blocks */
	/** Distance in units from the start of the block back to the start of the last chunk or gap
	 * that starts in an earlier block; 0 for the first block */
	uint32_t back;
};

/** A range of chunks. */
struct pm_heap_segment {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address after the last byte */
	uint32_t arena; /**< index of the arena, or PM_CHUNK_MAPPED */
	uint32_t first; /**< number of the first chunk; set by pm_heap_index_finish() */
	uint32_t count; /**< number of chunks, without gaps */

	uint32_t gap_count; /**< number of elements of `gaps` */
	/** Gaps, ascending: number of chunks and gaps before each of them in this segment */
	uint32_t *gaps;
	struct pm_heap_block *blocks; /**< NULL in a uniform segment */
	/** Blocks in which each PM_HEAP_SAMPLE-th chunk or gap of the segment starts, from the
	 * first one on; with a bitmap only */
	uint32_t *samples;

	uint64_t step; /**< uniform segments: size of a chunk in bytes; otherwise 0 */
	/** Mapped chunks: distance from `start` to the header that belongs to the address that
	 * malloc returned (posix_memalign(3)) */
	uint64_t lead;
	/** Uniform segments: two bits for each chunk, its state; NULL if all have the state `state`
	 */
	uint64_t *states;
	uint8_t state; /**< uniform segments without `states`: enum pm_chunk_state */
};

/** The segment with a bitmap to which chunks are being added. */
struct pm_heap_open_segment {
	bool open;             /**< whether there is one; it is then the last segment */
	uint64_t next;         /**< end of the last chunk */
	uint64_t limit;        /**< end of the range that the caller gave */
	uint64_t last;         /**< unit in which the last chunk or gap starts */
	size_t filled;         /**< number of blocks that are initialised */
	size_t block_capacity; /**< number of blocks that are allocated */
	size_t gap_capacity;   /**< number of gaps for which memory is allocated */
	uint32_t rank;         /**< number of chunks and gaps */
};

/** The index. Zero-initialise it. */
struct pm_heap_index {
	struct pm_heap_segment *segments; /**< ascending after pm_heap_index_finish() */
	size_t count;                     /**< number of elements of `segments` */
	size_t capacity;                  /**< number of segments for which memory is allocated */
	uint32_t chunks;  /**< number of all chunks; set by pm_heap_index_finish() */
	uint64_t lowest;  /**< address of the first segment */
	uint64_t highest; /**< end of the last segment, plus `overlap` */
	uint32_t header;  /**< bytes of a header before the address that malloc returned: 16 in
	                     glibc, 0 in jemalloc */
	uint32_t overlap; /**< bytes of the next chunk that the program may use: 8 in glibc. Chunks
	                     in PM_CHUNK_MAPPED have no next chunk. */
	/** Number of segments that pm_heap_index_finish() removed */
	size_t removed;
	size_t overlaps;     /**< number of these that overlap another segment */
	uint64_t removed_at; /**< start of the first of these */
	/** Addresses at which chunks may exist that are not in the index; ascending without
	 * overlaps after pm_heap_index_finish() */
	struct pm_range *skipped;
	size_t skipped_count;    /**< number of elements of `skipped` */
	size_t skipped_capacity; /**< number of elements for which memory is allocated */
	/** Chunks at unknown addresses may be missing, too */
	bool unseen;

	struct pm_heap_open_segment current; /**< the segment that was added last */
	uint64_t *starts;                    /**< copies of pm_heap_segment.start */
	bool failed;                         /**< memory was not sufficient to add a chunk */
};

/**
 * Moves the end of the segment that was added last: its heap has grown.
 * @param end  address after the last byte, not less than before
 */
void pm_heap_index_extend(struct pm_heap_index *index, uint64_t end);

/**
 * Adds a segment with a bitmap. Its chunks are added next, with pm_heap_index_add().
 *
 * @param start  first address, a multiple of PM_HEAP_UNIT
 * @param end    address after the last byte
 * @return       the segment, or NULL with PM_ERROR_RESOURCES; valid until the next call that adds
 *               something
 */
struct pm_heap_segment *pm_heap_index_add_segment(struct pm_heap_index *index, uint64_t start,
                                                  uint64_t end, uint32_t arena,
                                                  struct pm_error *error);

/**
 * Adds a mapped chunk as a segment of its own.
 *
 * @param address  first address of the mapping
 * @param size     size of the mapping in bytes
 * @param lead     see pm_heap_segment.lead
 * @return         0, or -1 with PM_ERROR_RESOURCES
 */
int pm_heap_index_add_mapped(struct pm_heap_index *index, uint64_t address, uint64_t size,
                             uint64_t lead, struct pm_error *error);

/**
 * Adds a uniform segment.
 *
 * @param start        address of the first chunk
 * @param step         size of a chunk in bytes
 * @param count        number of chunks
 * @param free_chunks  bitmap: bit N of the words is 1 if chunk N is free; NULL if all chunks are in
 *                     use
 * @return             0, or -1 with PM_ERROR_RESOURCES
 */
int pm_heap_index_add_uniform(struct pm_heap_index *index, uint64_t start, uint64_t step,
                              uint32_t count, const uint64_t *free_chunks, uint32_t arena,
                              struct pm_error *error);

/**
 * Adds a chunk to the segment that was added last. Bytes between two chunks become a gap; the state
 * PM_CHUNK_GAP has no further effect. A chunk is ignored if it is smaller than PM_HEAP_CHUNK_MIN,
 * not in units, not in the segment, or not above the chunk that was added before.
 *
 * @param address  address of the header, a multiple of PM_HEAP_UNIT
 * @param size     size in bytes, a multiple of PM_HEAP_UNIT
 * @param state    enum pm_chunk_state or PM_CHUNK_GAP
 */
void pm_heap_index_add(struct pm_heap_index *index, uint64_t address, uint64_t size,
                       unsigned state);

/**
 * Notes addresses at which chunks may exist that are not in the index. After 65,536 ranges, the
 * last range grows instead.
 * @return 0, or -1 with PM_ERROR_RESOURCES
 */
int pm_heap_index_skip(struct pm_heap_index *index, uint64_t start, uint64_t end,
                       struct pm_error *error);

/** Tests whether an address is in `skipped`. */
bool pm_heap_index_has_skipped(const struct pm_heap_index *index, uint64_t address);

/**
 * Sorts the segments and numbers the chunks. If segments overlap, only the first one is kept; if
 * there are more than 2^32 - 2 chunks, the last ones are removed. What is removed is noted as
 * skipped. May be called again after more segments were added.
 * @return 0, or -1 with PM_ERROR_RESOURCES
 */
int pm_heap_index_finish(struct pm_heap_index *index, struct pm_error *error);

/** Releases the memory of an index. */
void pm_heap_index_deinit(struct pm_heap_index *index);

#endif
