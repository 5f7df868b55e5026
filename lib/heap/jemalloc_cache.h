/* SPDX-License-Identifier: MIT */
/** @file The caches of threads in jemalloc 5.3: regions that the program has freed. Private. */
#ifndef PM_HEAP_JEMALLOC_CACHE_H
#define PM_HEAP_JEMALLOC_CACHE_H

#include "heap/heap.h"
#include "heap/jemalloc_extent.h"

/**
 * Finds the caches, and gives the regions in them the state PM_CHUNK_CACHED. The caches are
 * searched in private anonymous memory that is not jemalloc's, at most 512 MiB of it. jemalloc
 * itself counts cached regions as allocated.
 *
 * @param heap     the index is finished, and the figures are set; both are updated
 * @param layout   nothing is done unless it is one of version 5.3
 * @param extents  `skipped` has the addresses of all extents, and is sorted
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
int pm_jemalloc_cache_find(struct pm_heap_handle *heap, const struct pm_jemalloc_layout *layout,
                           const struct pm_heap_index *extents, struct pm_error *error);

#endif
