/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The numbers of printed items, by which later commands of a session can refer to them: `#3` is a
 * hit (a string or a match), `#r2` a region.
 *
 * A command that finds hits numbers them from 1. These hits replace those of the previous command.
 * A region keeps its number as long as the session has the same target, even if the region grows at
 * either end. A row of `watch` can cover several regions. Such a row has the number of the region
 * that it shows. The number refers to all regions of the row until this region is listed again.
 *
 * Outside of a session `out->results` is NULL, and the functions below have no effect.
 */
#ifndef CMD_VIEW_RESULTS_H
#define CMD_VIEW_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>
#include <procmem/select.h>

#include "base/out.h"

/**
 * Maximum number of hits that get a number. A scan can find millions, and users do not type such
 * numbers.
 */
enum { RESULTS_HITS_MAX = 100000 };

/**
 * Width of the number at the start of a line, including the space after it. This is enough up to
 * #9999.
 */
enum { RESULTS_NUMBER_WIDTH = 6 };

/** Maximum number of bytes of a hit's text that are stored for the list of hits. */
enum { RESULTS_TEXT_MAX = 120 };

/** An item with a number. */
struct result {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address after the last byte */
	char *text; /**< the bytes of a hit (at most RESULTS_TEXT_MAX), or the kind and mapping of a
	               region; followed by a NUL; owned */
	size_t length;                  /**< number of bytes of the text */
	struct pm_region_range *ranges; /**< all regions of a row that covers several, by address;
	                            NULL for one region; owned */
	size_t range_count;             /**< number of items in `ranges`, 0 if `ranges` is NULL */
};

/** The numbered items of a session; opaque. */
struct results;

/**
 * Makes an empty collection.
 * @return  the collection; release it with results_destroy()
 */
struct results *results_create(void);

/**
 * Releases a collection.
 * @param results  the collection, or NULL
 */
void results_destroy(struct results *results);

/**
 * Removes all items; called when the session changes to another target.
 * @param results  the collection
 */
void results_clear(struct results *results);

/**
 * Starts the numbering of hits for the next command. The first hit of this command replaces the
 * existing hits.
 * @param results  the collection
 */
void results_next_command(struct results *results);

/**
 * Gives a number to a hit.
 *
 * @param results  the collection, or NULL outside of a session
 * @param address  address of the hit
 * @param size     number of bytes in the target
 * @param text     text for the list of hits, arbitrary bytes; copied
 * @param length   number of bytes of the text
 * @return         the number, or 0 if there is no collection or RESULTS_HITS_MAX is reached
 */
size_t results_add_hit(struct results *results, uint64_t address, uint64_t size, const char *text,
                       size_t length);

/**
 * Gives a number to a region. A region that already has a number keeps this number.
 *
 * @param results  the collection, or NULL outside of a session
 * @param start    first address
 * @param end      address after the last byte
 * @param kind     name of its kind, "" if it has none; copied
 * @param mapping  its mapping, "" if it has none; copied
 * @return         the number, or 0 outside of a session
 */
size_t results_add_region(struct results *results, uint64_t start, uint64_t end, const char *kind,
                          const char *mapping);

/**
 * Makes a number refer to several regions, until the next results_add_region() of that region.
 *
 * @param results  the collection, or NULL outside of a session
 * @param number   number of the region that is shown
 * @param ranges   all regions, by address; now owned by the collection
 * @param count    number of regions, more than 1
 */
void results_set_ranges(struct results *results, size_t number, struct pm_region_range *ranges,
                        size_t count);

/**
 * Returns the number of hits.
 *
 * @param results  the collection
 * @return         number of hits
 */
size_t results_hit_count(const struct results *results);

/**
 * Returns the number of regions.
 *
 * @param results  the collection
 * @return         number of regions
 */
size_t results_region_count(const struct results *results);

/**
 * Returns the number of items that were found by the last command that found any.
 *
 * @param results  the collection
 * @param regions  receives true if the command found regions, or false if it found hits
 * @return         number of hits or regions
 */
size_t results_last_count(const struct results *results, bool *regions);

/**
 * Finds a hit.
 *
 * @param results  the collection
 * @param number   number of the hit, from 1
 * @return         the hit, or NULL if there is none
 */
const struct result *results_hit(const struct results *results, size_t number);

/**
 * Finds a region.
 *
 * @param results  the collection
 * @param number   number of the region, from 1
 * @return         the region, or NULL if there is none
 */
const struct result *results_region(const struct results *results, size_t number);

/**
 * Gives a number to a hit and prints the number at the start of a line, for output without columns.
 * Prints nothing outside of a session.
 *
 * @param out      the output; `out->results` receives the hit
 * @param address  as for results_add_hit()
 * @param size     as for results_add_hit()
 * @param text     as for results_add_hit()
 * @param length   as for results_add_hit()
 */
void results_print_hit(struct out *out, uint64_t address, uint64_t size, const char *text,
                       size_t length);

/**
 * Gives a number to a region and adds the number to the start of a line. Adds nothing outside of a
 * session.
 *
 * @param results  the collection, or NULL outside of a session
 * @param region   the region
 * @param line     receives the number and spaces
 */
void results_put_region(struct results *results, const struct pm_region *region, struct text *line);

#endif
