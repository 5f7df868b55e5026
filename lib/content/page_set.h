/* SPDX-License-Identifier: MIT */
/**
 * @file Widens a set of pages by the bytes around the pages, so that text can be found as a whole.
 * Private.
 */
#ifndef PM_CONTENT_PAGE_SET_H
#define PM_CONTENT_PAGE_SET_H

#include <stdint.h>

#include <procmem/page_set.h>

/**
 * Copies a set, and widens each range of the copy: by pm_page_set_margin() bytes and a few more at
 * its start, and by 512 bytes at its end. With these bytes, text that continues outside of the
 * pages is found as a whole. A range is widened into an adjacent region only if
 * pm_region_continues() shows that data can cross the border of the two regions.
 *
 * @param set      the set
 * @param regions  the regions to which the set refers
 * @param wide     filled; release it with pm_page_set_deinit()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_page_set_widen(const struct pm_page_set *set, const struct pm_regions *regions,
                      struct pm_page_set *wide, struct pm_error *error);

/**
 * Returns the margin, in bytes. A text that starts before a range, and continues in it, is found as
 * a whole if it starts at most this number of bytes before the range.
 */
uint64_t pm_page_set_margin(void);

/**
 * Returns the first range of a set that ends after an address.
 *
 * @param set      the set
 * @param address  the address
 * @return         the range, or NULL if there is none
 */
const struct pm_region_range *pm_page_set_find(const struct pm_page_set *set, uint64_t address);

#endif
