/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the bytes of a range are for: content of chunks in use, content of freed chunks, structures
 * of malloc, or memory outside of chunks.
 */
#ifndef PROCMEM_CHUNK_PARTS_H
#define PROCMEM_CHUNK_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/heap.h>
#include <procmem/range.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a byte is for. The values are bits, because a range can have bytes of several parts. Content
 * is what the program has written; its bit is 1 << enum pm_chunk_state.
 */
enum pm_chunk_part {
	/** Content of a chunk in use */
	PM_CHUNK_PART_IN_USE = 1 << PM_CHUNK_IN_USE,
	/** Content of a cached chunk */
	PM_CHUNK_PART_CACHED = 1 << PM_CHUNK_CACHED,
	/** Content of a free chunk; in jemalloc also of unused pages */
	PM_CHUNK_PART_FREE = 1 << PM_CHUNK_FREE,
	/** Content of the top chunk of an arena */
	PM_CHUNK_PART_TOP = 1 << PM_CHUNK_TOP,
	/**
	 * What malloc of glibc has written into a freed chunk: pointers to other freed chunks, and
	 * the key of a tcache. These are the first 8 bytes of a chunk in a fastbin, the first 16
	 * bytes of a chunk in a tcache, and the first 16 bytes of a free chunk. Of a free chunk of
	 * at least 1 KiB, these are the first 32 bytes, although malloc uses the second 16 bytes of
	 * some of these chunks only. In glibc before 2.30, only the first 8 bytes of a chunk in a
	 * tcache are recognised.
	 */
	PM_CHUNK_PART_LINKS = 1 << 4,
	/** The header of a chunk, or the size at the end of a free chunk */
	PM_CHUNK_PART_HEADER = 1 << 5,
	/** In no chunk */
	PM_CHUNK_PART_OUTSIDE = 1 << 6,
	/** In a part of the heap that was skipped, because its chunks could not be found */
	PM_CHUNK_PART_UNKNOWN = 1 << 7,
};

/** Bits of content that the program has freed. */
#define PM_CHUNK_PARTS_FREED (PM_CHUNK_PART_CACHED | PM_CHUNK_PART_FREE | PM_CHUNK_PART_TOP)

/** What the bytes of a range are for. */
struct pm_chunk_parts {
	bool found; /**< at least one byte is in a chunk */
	/**
	 * The first chunk that has bytes of the range, also if these bytes are in its header. For
	 * unused pages of jemalloc, `arena` is PM_CHUNK_MAPPED and `number` is UINT32_MAX.
	 */
	struct pm_chunk chunk;
	/** enum pm_chunk_part bits of the bytes of the range that are in `chunk`; 0 if `found` is
	 * false */
	unsigned inside;
	unsigned outside; /**< enum pm_chunk_part bits of all other bytes of the range */
	/**
	 * The range without the bytes at its start and its end that are PM_CHUNK_PART_LINKS or
	 * PM_CHUNK_PART_HEADER; empty if there are no other bytes
	 */
	struct pm_range content;
};

/**
 * Determines what the bytes of a range are for. Takes the time of a lookup for each chunk of the
 * range. Several threads may call this for the same heap at the same time.
 *
 * @param heap   the heap
 * @param range  the range
 * @param parts  receives the result; all bits are 0 if the range is empty
 */
PM_PUBLIC void pm_chunk_parts_find(const struct pm_heap *heap, struct pm_range range,
                                   struct pm_chunk_parts *parts);

#ifdef __cplusplus
}
#endif

#endif
