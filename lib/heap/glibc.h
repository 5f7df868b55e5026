/* SPDX-License-Identifier: MIT */
/** @file malloc of glibc. Private. */
#ifndef PM_HEAP_GLIBC_H
#define PM_HEAP_GLIBC_H

#include "heap/heap.h"

/**
 * Searches for the structures of glibc's malloc. If they are found, fills the heap.
 *
 * @param heap   `source` and `window` are set
 * @param error  PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       1 if this is the allocator of the process; 0 if not; -1 on error
 */
int pm_heap_glibc(struct pm_heap_handle *heap, struct pm_error *error);

#endif
