/* SPDX-License-Identifier: MIT */
/** @file Regions of a running process, with memory that was mapped after they were read. Private.
 */
#ifndef PM_HEAP_GROWN_H
#define PM_HEAP_GROWN_H

#include <procmem/region.h>

/**
 * Copies a list of regions. The copy uses the texts of the original.
 *
 * @param regions  the list; must outlive the copy
 * @param error    PM_ERROR_RESOURCES
 * @return         the copy, to be released with pm_heap_grown_free(); NULL on error
 */
struct pm_regions *pm_heap_grown_copy(const struct pm_regions *regions, struct pm_error *error);

/**
 * Adds private memory of the program to a copy, where the copy has no region.
 *
 * @param grown  the copy; pointers to its regions become invalid
 * @param range  the memory, in whole pages
 * @param left   maximum number of bytes to add; is decreased by the bytes that were added
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_heap_grown_add(struct pm_regions *grown, struct pm_range range, uint64_t *left,
                      struct pm_error *error);

/**
 * Releases a copy.
 * @param grown  the copy; may be NULL
 */
void pm_heap_grown_free(struct pm_regions *grown);

#endif
