/* SPDX-License-Identifier: MIT */
/** @file Walks over the chunks of an arena, and adds them to the index. Private. */
#ifndef PM_HEAP_GLIBC_WALK_H
#define PM_HEAP_GLIBC_WALK_H

#include "heap/glibc_heaps.h"

/**
 * Walks over the chunks of a heap. Where the chain of chunks breaks, the memory is read again, if
 * the target can change. What cannot be repaired is skipped.
 *
 * @param glibc  receives breaks, candidates for tcaches, and the range of the heap; the index of
 *               `heap` receives the chunks
 * @param arena  index of the arena
 * @param heap   the heap; if `is_part` is set, receives in `end` the end of the last chunk or
 *               fencepost
 * @param found  receives the figures in addition to what it contains: `in_use`, `free`, `top`,
 *               `chunks`, `free_count`, `trimmable`; `complete` becomes false if bytes were skipped
 * @param error  PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       0 or -1
 */
int pm_glibc_walk(struct pm_glibc *glibc, uint32_t arena, struct pm_glibc_heap *heap,
                  struct pm_heap_arena *found, struct pm_error *error);

#endif
