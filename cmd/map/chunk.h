/* SPDX-License-Identifier: MIT */
/** @file The chunk of malloc at an address, for `map` with an address. */
#ifndef CMD_MAP_CHUNK_H
#define CMD_MAP_CHUNK_H

#include <procmem/chunk_parts.h>

#include "target/chunk_contents.h"
#include "target/malloc_heap.h"
#include "target/regions_load.h"
#include "view/json.h"

/** A chunk. Before use, zero the structure. */
struct map_chunk {
	struct malloc_heap opened;      /**< the heap that contains the chunk */
	struct chunk_contents contents; /**< types of chunks */
	struct pm_chunk_parts parts;    /**< the chunk, and what the address is in it */
	struct chunk_content content;   /**< what it contains */
};

/**
 * Finds the chunk that contains an address. The heap is read only for regions of the kinds heap,
 * arena and malloc, and for regions whose allocator is known. Other regions have no chunks.
 *
 * @param found    filled, and must not be moved; release with map_chunk_deinit()
 * @param loaded   the regions of the target, with their kinds; must outlive the chunk
 * @param region   the region that contains the address
 * @param address  the address
 * @param cancel   non-zero after Ctrl-C, or NULL; must outlive the chunk
 * @return         true if there is a chunk; false if there is none, or if the heap cannot be read
 */
bool map_chunk_find(struct map_chunk *found, const struct loaded *loaded,
                    const struct pm_region *region, uint64_t address,
                    const volatile sig_atomic_t *cancel);

/**
 * Releases a chunk.
 * @param found  as filled by map_chunk_find()
 */
void map_chunk_deinit(struct map_chunk *found);

/**
 * Adds the chunk in words.
 *
 * @param found    the chunk
 * @param address  the address
 * @param line     receives the words, escaped
 */
void map_chunk_put(const struct map_chunk *found, uint64_t address, struct text *line);

/**
 * Writes the member `chunk`.
 *
 * @param found    the chunk
 * @param address  the address
 * @param json     the text, in an open object
 */
void map_chunk_put_json(const struct map_chunk *found, uint64_t address, struct json *json);

#endif
