/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The chunks of V8: the heap of an isolate consists of chunks that start at multiples of 256 KiB.
 * Each has a header that names its heap and its space. Private.
 *
 * Offsets are those of BasicMemoryChunk (basic-memory-chunk.h, V8 10 to 12) and of
 * MemoryChunkMetadata (memory-chunk-metadata.h, V8 13 and 14), on 64 bits. The layout is recognised
 * by the contents, not by the version.
 */
#ifndef PM_RUNTIMES_V8_CHUNKS_H
#define PM_RUNTIMES_V8_CHUNKS_H

#include "runtimes/context.h"

/** Alignment of chunks in bytes. */
#define PM_V8_CHUNK_ALIGNMENT (UINT64_C(1) << 18)

/** How sure it is that a chunk is one. */
enum pm_v8_trust {
	PM_V8_TRUST_NONE = 0, /**< not a chunk, or not one of a known heap */
	PM_V8_TRUST_HEADER, /**< its header is correct, and it names a known heap or is read-only */
	/** No space has it, but its header is still that of its former space: V8 keeps it for reuse
	 */
	PM_V8_TRUST_POOLED,
	PM_V8_TRUST_SPACE, /**< its space is one of its heap, too */
};

/** A chunk. */
struct pm_v8_chunk {
	uint64_t start; /**< first address */
	uint64_t size;  /**< bytes, with the header and with guard pages */
	uint64_t area;  /**< bytes for objects */
	uint64_t flags; /**< MemoryChunk::Flag bits */
	uint64_t heap;  /**< address of the Heap; 0 for read-only chunks */
	uint64_t owner; /**< address of the space; 0 for read-only chunks */
	uint64_t id;    /**< address by which lists refer to it: of the chunk or of its metadata */
	bool reserved;  /**< the chunk has its own reservation, whose range is the chunk */
	bool code;      /**< its objects can be executed */
	bool linked; /**< another chunk of its space is before or after it in the list of these */
	uint8_t layout; /**< the layout of its header */
	uint8_t trust;  /**< enum pm_v8_trust */
	uint16_t space; /**< number of its space if `trust` is PM_V8_TRUST_SPACE */
};

/** The heap of an isolate. Sizes are in bytes, of whole chunks. */
struct pm_v8_heap {
	uint64_t address;   /**< the Heap object */
	uint64_t young;     /**< new space and new large objects */
	uint64_t old;       /**< all other chunks but read-only ones */
	uint64_t code;      /**< part of `old`: generated code */
	uint64_t large;     /**< part of `old`: large objects, without those of `code` */
	uint64_t old_area;  /**< bytes for objects in the chunks of `old`; V8 limits these */
	uint64_t old_limit; /**< maximum of `old_area`; 0 if not known */
};

/** All chunks of a process. */
struct pm_v8_chunks {
	struct pm_v8_chunk *items; /**< by ascending address; without overlaps */
	size_t count;              /**< number of elements of `items` */
	size_t capacity;           /**< allocated elements of `items` */
	struct pm_v8_heap *heaps;  /**< the heaps that a chunk and its space name */
	size_t heap_count;         /**< number of elements of `heaps` */
	size_t heap_capacity;      /**< allocated elements of `heaps` */
	size_t confirmed;          /**< number of chunks that are PM_V8_TRUST_SPACE */
	uint64_t pooled;           /**< bytes of chunks that are PM_V8_TRUST_POOLED */
};

/** Tests whether a region can contain chunks: it is private, anonymous and readable. */
bool pm_v8_holds_chunks(const struct pm_region *region);

/**
 * Finds the chunks and heaps. If reading ends early (pm_runtime_ends()), the result has what was
 * found so far.
 *
 * @param context  the context
 * @param chunks   receives the chunks; release with pm_v8_chunks_deinit(), also after an error
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_v8_chunks_find(struct pm_runtimes_context *context, struct pm_v8_chunks *chunks,
                      struct pm_error *error);

/**
 * Releases what pm_v8_chunks_find() found.
 * @param chunks  the chunks
 */
void pm_v8_chunks_deinit(struct pm_v8_chunks *chunks);

#endif
