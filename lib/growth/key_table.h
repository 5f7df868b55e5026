/* SPDX-License-Identifier: MIT */
/**
 * @file Finding the track that alike regions come to: of 60,000 new regions each asks, and there
 * may be as many tracks. Private.
 */
#ifndef PM_GROWTH_KEY_TABLE_H
#define PM_GROWTH_KEY_TABLE_H

#include "growth/tracker_state.h"

/** The first track of each key. */
struct pm_key_table {
	struct followed **places; /**< by hash, the next free one where that is taken; NULL before
	                             pm_key_table_init() */
	size_t count; /**< of places: a power of two, more than twice those that can be taken */
};

/**
 * Takes in the tracks of a tracker that have a key.
 *
 * @param table    filled; release with pm_key_table_deinit()
 * @param tracker  the tracker; keys must not change while the table is used
 * @param more     how many tracks may be added
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_key_table_init(struct pm_key_table *table, const struct pm_tracker *tracker, size_t more,
                      struct pm_error *error);

/**
 * Releases it.
 * @param table a table, may be zeroed
 */
void pm_key_table_deinit(struct pm_key_table *table);

/**
 * Adds a track, unless one of its key is there.
 * @param table a table
 * @param followed its key is not 0
 */
void pm_key_table_add(struct pm_key_table *table, struct followed *followed);

/**
 * The first track of a key.
 * @param table a table
 * @param key not 0
 * @return the track, NULL where none has it
 */
struct followed *pm_key_table_find(const struct pm_key_table *table, uint64_t key);

#endif
