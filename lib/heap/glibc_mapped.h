/* SPDX-License-Identifier: MIT */
/** @file Finds chunks that glibc's malloc mapped separately. Private. */
#ifndef PM_HEAP_GLIBC_MAPPED_H
#define PM_HEAP_GLIBC_MAPPED_H

#include "heap/glibc_context.h"

/**
 * Finds mapped chunks, and adds them to the index and to the figures of the heap. If sbrk(2) failed
 * once, the main arena has parts in mapped memory: these are found and walked over, too.
 *
 * @param glibc  the arenas; `ranges` are not searched
 * @param main   figures of the main arena, to which its mapped parts are added
 * @param error  PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       0 or -1
 */
int pm_glibc_mapped_find(struct pm_glibc *glibc, struct pm_heap_arena *main,
                         struct pm_error *error);

#endif
