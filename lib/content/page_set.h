/* SPDX-License-Identifier: MIT */
/** @file Searching the surroundings of a set of pages for text. Private. */
#ifndef PM_CONTENT_PAGE_SET_H
#define PM_CONTENT_PAGE_SET_H

#include <stdint.h>

#include <procmem/page_set.h>

/**
 * Adds what is around the pages of a set, so that text that continues there is found whole:
 * pm_page_set_margin() bytes and a few more before, and 512 bytes after each range. This includes
 * adjacent regions that are parts of the same thing (pm_region_continues()).
 *
 * @param set      the set
 * @param regions  the regions that it refers to
 * @param wide     filled; release it with pm_page_set_deinit()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_page_set_widen(const struct pm_page_set *set, const struct pm_regions *regions,
                      struct pm_page_set *wide, struct pm_error *error);

/**
 * Returns the distance before a range within which a text may start and is still found whole.
 * @return  bytes
 */
uint64_t pm_page_set_margin(void);

/**
 * Returns the first range of a set that ends after an address.
 *
 * @param set      the set
 * @param address  the address
 * @return         the range, NULL if there is none
 */
const struct pm_region_range *pm_page_set_find(const struct pm_page_set *set, uint64_t address);

#endif
