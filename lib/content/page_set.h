/* SPDX-License-Identifier: MIT */
/**
 * @file Widens a set of pages by the bytes around it, so that text can be found as a whole.
 * Private.
 */
#ifndef PM_CONTENT_PAGE_SET_H
#define PM_CONTENT_PAGE_SET_H

#include <stdint.h>

#include <procmem/page_set.h>

/**
 * Adds the bytes around the pages of a set, so that text that continues outside of the pages is
 * found as a whole: pm_page_set_margin() bytes and a few more before each range, and 512 bytes
 * after it. The bytes may be in an adjacent region if that region continues the region of the range
 * or is continued by it (pm_region_continues()).
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
 * Returns the maximum distance between the start of a text and the range in which it ends, for
 * which the text is found as a whole.
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
