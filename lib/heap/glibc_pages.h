/* SPDX-License-Identifier: MIT */
/** @file Which pages of a range of addresses can be read. Private. */
#ifndef PM_HEAP_GLIBC_PAGES_H
#define PM_HEAP_GLIBC_PAGES_H

#include <procmem/heap.h>

/** Ascending ranges of pages. Zero-initialise it; release `items` with free(3). */
struct pm_glibc_pages {
	struct pm_range *items;
	size_t count;
	size_t capacity;
};

/**
 * Finds the pages of a range that are present or swapped. If the page states are not known, this is
 * the whole range.
 *
 * @param source  where the heap is read
 * @param range   the range; its size determines the memory that the list needs: at most 8 bytes for
 *                each page
 * @param pages   receives the pages; earlier contents are removed
 * @param error   PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_glibc_pages_find(const struct pm_heap_source *source, struct pm_range range,
                        struct pm_glibc_pages *pages, struct pm_error *error);

/**
 * Counts the bytes of ranges that are present or swapped.
 *
 * @param source  where the heap is read
 * @param ranges  ascending ranges without overlaps
 * @param count   number of ranges
 * @param bytes   receives the sum; if the page states are not known, the sum of all ranges
 * @param error   PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_glibc_pages_count(const struct pm_heap_source *source, const struct pm_range *ranges,
                         size_t count, uint64_t *bytes, struct pm_error *error);

#endif
