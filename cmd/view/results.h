/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Numbers for what commands print, so that later ones at the same prompt can name it: `#3` is a hit
 * (a string, a match), `#r2` a region.
 *
 * Hits are numbered from 1 on by each command that finds some: its hits replace those of the
 * command before. A region keeps its number as long as the session looks at the same target, also
 * when it grows at either end: what was `#r2` in one listing is so in the next. A row of `watch`
 * that stands for several regions has the number of the one that it shows, which names all of them
 * until it is listed again.
 *
 * Outside of a session there are none: `out->results` is NULL, and everything here does nothing
 * then.
 */
#ifndef CMD_VIEW_RESULTS_H
#define CMD_VIEW_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>
#include <procmem/select.h>

#include "base/out.h"

/**
 * Most hits that get a number; those behind them get none. Nobody types such numbers, and a scan
 * may find millions.
 */
enum { RESULTS_HITS_MAX = 100000 };

/** How wide the number before a line is, with the blank behind it: up to #9999 all are. */
enum { RESULTS_NUMBER_WIDTH = 6 };

/** Bytes of a text that are kept for the list of hits. */
enum { RESULTS_TEXT_MAX = 120 };

/** Something that has a number. */
struct result {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address behind the last byte */
	char *text;     /**< of a hit: what it is, any bytes, not more than RESULTS_TEXT_MAX; of a
	                   region: kind and mapping; ends in NUL */
	size_t length;  /**< bytes of the text */
	struct pm_region_range
		*ranges;    /**< of a row of several regions: all of them, by address; NULL: one */
	size_t range_count; /**< how many, 0: one */
};

/** What a session has found; opaque. */
struct results;

/**
 * Makes an empty collection.
 * @return it; release with results_destroy()
 */
struct results *results_create(void);

/**
 * Releases it.
 * @param results a collection or NULL
 */
void results_destroy(struct results *results);

/**
 * Forgets everything: another target.
 * @param results a collection
 */
void results_clear(struct results *results);

/**
 * Says that another command begins: the first hit that it adds replaces those that are there.
 * @param results a collection
 */
void results_next_command(struct results *results);

/**
 * Gives a hit a number.
 *
 * @param results  the collection, NULL for none
 * @param address  where it is
 * @param size     its bytes in the target
 * @param text     what it is, for `hits`; any bytes, copied
 * @param length   how many
 * @return         its number, 0 for none
 */
size_t results_add_hit(struct results *results, uint64_t address, uint64_t size, const char *text,
                       size_t length);

/**
 * Gives a region its number, a new one or that which it has.
 *
 * @param results  the collection, NULL for none
 * @param start    first address
 * @param end      address behind the last byte
 * @param kind     its kind, "" for none; copied
 * @param mapping  its mapping, "" for none; copied
 * @return         its number, 0 for none
 */
size_t results_add_region(struct results *results, uint64_t start, uint64_t end, const char *kind,
                          const char *mapping);

/**
 * Says that a number names several regions, until the next results_add_region() of it.
 *
 * @param results  the collection, NULL for none
 * @param number   that of the one that is shown
 * @param ranges   all of them, by address; now owned by the collection
 * @param count    how many, more than one
 */
void results_set_ranges(struct results *results, size_t number, struct pm_region_range *ranges,
                        size_t count);

/**
 * How many hits there are.
 * @param results a collection
 * @return a number
 */
size_t results_hit_count(const struct results *results);

/**
 * How many regions have a number.
 * @param results a collection
 * @return a number
 */
size_t results_region_count(const struct results *results);

/**
 * What the last command that found something found.
 * @param results a collection
 * @param regions whether it was regions
 * @return how many
 */
size_t results_last_count(const struct results *results, bool *regions);

/**
 * One of the hits.
 * @param results a collection
 * @param number from 1 on
 * @return the hit, NULL where there is none
 */
const struct result *results_hit(const struct results *results, size_t number);

/**
 * One of the regions.
 * @param results a collection
 * @param number from 1 on
 * @return the region, NULL where there is none
 */
const struct result *results_region(const struct results *results, size_t number);

/**
 * Numbers a hit and writes its number, as the begin of its line: for lists without columns of their
 * own. Writes nothing outside of a session.
 *
 * @param out      where to; its results get the hit
 * @param address  as results_add_hit()
 * @param size     as results_add_hit()
 * @param text     as results_add_hit()
 * @param length   as results_add_hit()
 */
void results_print_hit(struct out *out, uint64_t address, uint64_t size, const char *text,
                       size_t length);

/**
 * Numbers a region and adds its number, as the begin of its line. Adds nothing outside of a
 * session.
 *
 * @param results  the collection, NULL for none
 * @param region   the region
 * @param line     gets the number and blanks
 */
void results_put_region(struct results *results, const struct pm_region *region, struct text *line);

#endif
