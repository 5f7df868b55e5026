/* SPDX-License-Identifier: MIT */
/**
 * @file Finding the track for a new region among those of similar regions: of 60,000 new regions
 * each is looked up, and the number of tracks may be as large. Private.
 */
#ifndef PM_GROWTH_SIMILARITY_H
#define PM_GROWTH_SIMILARITY_H

#include <stdint.h>

#include <procmem/region.h>

#include "growth/tracker_state.h"

/**
 * Computes the key that similar regions have in common: a hash of kind, permissions, size class,
 * and the name without its numbers.
 *
 * @param region  the region
 * @return        the key; different regions have the same one by chance only
 */
uint64_t pm_similarity_key(const struct pm_region *region);

/**
 * Computes the same key without the name.
 * @param region the region
 * @return the key
 */
uint64_t pm_similarity_class(const struct pm_region *region);

/** The first track of each key: a hash table with open addressing. Zeroed: not initialised. */
struct pm_similarity_table {
	struct pm_followed **places; /**< by key; NULL for free places; owned */
	size_t count;                /**< number of places: a power of two, more than twice the
	                                  number of tracks */
};

/**
 * Fills a table with the tracks of a tracker that have a key.
 *
 * @param table    filled; release with pm_similarity_table_deinit()
 * @param tracker  the tracker; keys must not change while the table is used
 * @param more     maximum number of tracks to be added later
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_similarity_table_init(struct pm_similarity_table *table, const struct pm_tracker *tracker,
                             size_t more, struct pm_error *error);

/**
 * Releases a table.
 * @param table a table, may be zeroed
 */
void pm_similarity_table_deinit(struct pm_similarity_table *table);

/**
 * Adds a track, unless the table has one with its key.
 *
 * @param table     a table
 * @param followed  a track with a key other than 0
 */
void pm_similarity_table_add(struct pm_similarity_table *table, struct pm_followed *followed);

/**
 * Finds the first track of a key.
 *
 * @param table  a table
 * @param key    a key other than 0
 * @return       the track, or NULL
 */
struct pm_followed *pm_similarity_table_find(const struct pm_similarity_table *table, uint64_t key);

#endif
