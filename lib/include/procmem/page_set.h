/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Sets of pages of a process, such as the pages that appeared since the previous sample
 * (pm_sample.appeared), and a function that reduces a set to a given size.
 */
#ifndef PROCMEM_PAGE_SET_H
#define PROCMEM_PAGE_SET_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/range.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A set of pages. A zeroed set is empty. Release it with pm_page_set_deinit(). */
struct pm_page_set {
	struct pm_region_range *ranges; /**< the ranges, by ascending address; owned */
	size_t count;                   /**< number of ranges */
	size_t capacity;                /**< private */
	/** The number of bytes that were added. pm_page_set_thin() does not change this number. */
	uint64_t bytes;
};

/**
 * Adds a range to a set. Parts of the range that are not in any region are omitted.
 *
 * @param set      the set
 * @param range    the range; must start at or after the end of the last range in the set
 * @param regions  the current regions; must be the same list for all ranges of a set
 * @param error    PM_ERROR_RESOURCES; the set is unchanged then
 * @return         0 or -1
 */
PM_PUBLIC int pm_page_set_add(struct pm_page_set *set, struct pm_range range,
                              const struct pm_regions *regions, struct pm_error *error);

/**
 * Reduces a set to about `max` bytes: keeps blocks of 64 KiB at equal distances, at least one
 * block. A set that has no more than `max` bytes is not changed. `set->bytes` is never changed: it
 * remains the number of bytes that were added.
 *
 * @param set    the set
 * @param max    bytes to keep
 * @param error  PM_ERROR_RESOURCES; the set is unchanged then
 * @return       0 or -1
 */
PM_PUBLIC int pm_page_set_thin(struct pm_page_set *set, uint64_t max, struct pm_error *error);

/**
 * Releases a set.
 * @param set  the set; all zeros afterwards
 */
PM_PUBLIC void pm_page_set_deinit(struct pm_page_set *set);

#ifdef __cplusplus
}
#endif

#endif
