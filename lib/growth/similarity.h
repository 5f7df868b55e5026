/* SPDX-License-Identifier: MIT */
/**
 * @file Finds the track of those regions that are similar to a new region. Uses a hash table,
 * because there may be 60,000 new regions and as many tracks. Private.
 */
#ifndef PM_GROWTH_SIMILARITY_H
#define PM_GROWTH_SIMILARITY_H

#include <stdint.h>

#include <procmem/region.h>

#include "growth/tracker_state.h"

/**
 * Computes the similarity key of a region: a hash of kind, permissions, size class, and name
 * without its digits. For a stack, the names of the threads are included. Similar regions have the
 * same key.
 *
 * @param region  the region
 * @return        the key; regions that are not similar have the same key only by chance
 */
uint64_t pm_similarity_key(const struct pm_region *region);

/**
 * Computes a similarity key that depends only on kind, permissions and size class, not on names.
 * @param region the region
 * @return the key
 */
uint64_t pm_similarity_class(const struct pm_region *region);

/**
 * A hash table with open addressing that contains, for each key, the first track that was added
 * with this key. A zeroed table is not initialised.
 */
struct pm_similarity_table {
	struct pm_followed **places; /**< the tracks, by their keys; NULL for a free place; owned */
	size_t count; /**< number of places: a power of two, and more than twice the maximum number
	                 of tracks */
};

/**
 * Creates a table with all tracks of a tracker whose key is not 0.
 *
 * @param table    filled; release with pm_similarity_table_deinit()
 * @param tracker  the tracker; keys must not change while the table is used
 * @param more     maximum number of tracks that will be added later
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_similarity_table_init(struct pm_similarity_table *table, const struct pm_tracker *tracker,
                             size_t more, struct pm_error *error);

/**
 * Releases a table.
 * @param table an initialised or zeroed table
 */
void pm_similarity_table_deinit(struct pm_similarity_table *table);

/**
 * Adds a track, unless the table already has a track with the same key.
 *
 * @param table     a table
 * @param followed  a track with a key other than 0
 */
void pm_similarity_table_add(struct pm_similarity_table *table, struct pm_followed *followed);

/**
 * Finds the track of a key.
 *
 * @param table  a table
 * @param key    a key other than 0
 * @return       the track, or NULL if the table has no track with this key
 */
struct pm_followed *pm_similarity_table_find(const struct pm_similarity_table *table, uint64_t key);

#endif
