/* SPDX-License-Identifier: MIT */
/**
 * @file Walking from chunk to chunk over blocks that malloc mapped one by one and the kernel merged
 * into one region. Private.
 */
#ifndef PM_KINDS_MALLOC_WALK_H
#define PM_KINDS_MALLOC_WALK_H

#include "kinds/rule.h"

/** Chunks found in one region. */
struct pm_malloc_walk {
	const struct pm_region *region;
	uint64_t start;    /**< address of the first header */
	uint64_t last;     /**< address behind the last chunk */
	uint64_t at;       /**< address of the next header */
	uint64_t covered;  /**< bytes of all chunks */
	size_t count;      /**< how many */
	uint64_t smallest; /**< bytes of the smallest, its header and padding included */
	uint64_t largest;  /**< bytes of the largest */
};

/**
 * Walks from `walk->at` on, as far as chunk follows chunk.
 *
 * @param context  its evidence
 * @param walk     what was found is added to what was there
 * @param header   the first bytes at walk->at (PM_CHUNK_HEADER_SIZE)
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0, also where there is no chunk; -1 on an error
 */
int pm_malloc_walk(struct pm_kinds_context *context, struct pm_malloc_walk *walk,
                   const void *header, struct pm_error *error);

/**
 * Claims the region for malloc, if the chunks cover all of it or at least half of the memory in it.
 */
void pm_malloc_claim(struct pm_kinds_context *context, struct pm_region *region,
                     const struct pm_malloc_walk *walk);

#endif
