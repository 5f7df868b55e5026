/* SPDX-License-Identifier: MIT */
/**
 * @file Walks from chunk to chunk over blocks that malloc mapped separately and the kernel merged
 * into one region. Private.
 */
#ifndef PM_KINDS_MALLOC_WALK_H
#define PM_KINDS_MALLOC_WALK_H

#include "kinds/rule.h"

/** Chunks found in one region. */
struct pm_malloc_walk {
	const struct pm_region *region;
	uint64_t start;    /**< address of the header of the first chunk */
	uint64_t last;     /**< address after the last chunk */
	uint64_t at;       /**< address of the next header */
	uint64_t covered;  /**< sum of the sizes of all chunks, in bytes */
	size_t count;      /**< number of chunks */
	uint64_t smallest; /**< size of the smallest chunk in bytes, including header and padding */
	uint64_t largest;  /**< size of the largest chunk in bytes, including header and padding */
};

/**
 * Walks over contiguous chunks from `walk->at` on.
 *
 * @param context  the context
 * @param walk     the walk, to which the chunks are added
 * @param header   the first PM_CHUNK_HEADER_SIZE bytes at walk->at
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0, even if there is no chunk; -1 on error
 */
int pm_malloc_walk(struct pm_kinds_context *context, struct pm_malloc_walk *walk,
                   const void *header, struct pm_error *error);

/**
 * Claims a region for malloc if the chunks cover the whole region (proven), or if they cover at
 * least half of the region or contain at least half of its resident memory (inferred).
 *
 * @param context  the context
 * @param region   the region
 * @param walk     the chunks of the region
 */
void pm_malloc_claim(struct pm_kinds_context *context, struct pm_region *region,
                     const struct pm_malloc_walk *walk);

#endif
