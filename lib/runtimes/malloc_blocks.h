/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Blocks that malloc has mapped separately, next to memory of a runtime. The kernel merges both
 * into one region, whose kind then cannot say to whom a part belongs. Private.
 */
#ifndef PM_RUNTIMES_MALLOC_BLOCKS_H
#define PM_RUNTIMES_MALLOC_BLOCKS_H

#include "runtimes/context.h"

/** malloc maps blocks of this many bytes or more separately (mallopt(3), M_MMAP_THRESHOLD). */
enum { PM_MALLOC_BLOCK_MIN = 128 << 10 };

/**
 * Finds blocks that follow each other. A block starts at a page, with a header { 0; size | 2 },
 * where size is in whole pages (malloc/malloc.c of glibc).
 *
 * @param context  the context
 * @param address  where the first block starts; a multiple of the page size
 * @param end      address after the last byte that can belong to a block
 * @return         address after the last block; `address` if there is none
 */
uint64_t pm_malloc_blocks_end(struct pm_runtimes_context *context, uint64_t address, uint64_t end);

#endif
