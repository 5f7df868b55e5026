/* SPDX-License-Identifier: MIT */
/** @file Which pages are looked through for text. Private to peek.c and peek_scan.c. */
#ifndef CMD_WATCH_PEEK_PAGES_H
#define CMD_WATCH_PEEK_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>
#include <procmem/select.h>

/** Pages to be looked through; zeroed: none. */
struct peek_pages {
	struct pm_region_range *ranges; /**< ascending, each within a region */
	size_t count;                   /**< how many */
	size_t capacity;                /**< private */
	uint64_t bytes;                 /**< of the pages that were added */
};

/**
 * Adds the bytes between two addresses as far as they lie in regions.
 *
 * @param pages    get them
 * @param start    first address
 * @param end      address behind the last byte
 * @param regions  as they are now
 */
void peek_pages_add(struct peek_pages *pages, uint64_t start, uint64_t end,
                    const struct pm_regions *regions);

/**
 * Leaves out some, evenly spread, so that about so many bytes are left; `bytes` stays.
 *
 * @param pages  the pages
 * @param most   how many bytes
 */
void peek_pages_thin(struct peek_pages *pages, uint64_t most);

/**
 * Adds what is around the pages, so that text which goes on there is seen: a page before, and what
 * is kept of a text behind. Across the border of two regions that are parts of the same thing, too.
 *
 * @param pages    the pages
 * @param regions  as they are now
 * @param wide     filled; release with peek_pages_deinit()
 */
void peek_pages_widen(const struct peek_pages *pages, const struct pm_regions *regions,
                      struct peek_pages *wide);

/**
 * How far before a page a text may begin that is seen whole.
 * @return bytes
 */
uint64_t peek_before(void);

/**
 * The first range that ends behind an address.
 * @param pages the pages
 * @param address it
 * @return the range; NULL for none
 */
const struct pm_region_range *peek_pages_find(const struct peek_pages *pages, uint64_t address);

/**
 * Releases them.
 * @param pages zeroed afterwards
 */
void peek_pages_deinit(struct peek_pages *pages);

#endif
