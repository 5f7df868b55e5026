/* SPDX-License-Identifier: MIT */
/**
 * @file Sums of files with similar names, such as the segments of an index: the tracks of one kind
 * whose file names differ only in numbers share a row.
 */
#ifndef CMD_WATCH_SIMILAR_H
#define CMD_WATCH_SIMILAR_H

#include <procmem/sample.h>
#include <procmem/tracker.h>

#include "base/text.h"
#include "target/similar_name.h"

/** Tracks of one kind whose file names have the same key. */
struct watch_similar_group {
	/**
	 * The sums of the tracks, as one track. `mapping` is the pattern of the names. The
	 * representative region is that of the track that grew most.
	 */
	struct pm_track track;
	size_t files;              /**< number of different file names now */
	bool shown;                /**< there were several names, so that the group has a row */
	bool has_row;              /**< one of the tracks would have a row */
	int64_t most;              /**< private: growth of the track of the representative region */
	struct similar_name names; /**< private: all names so far */
	struct text pattern;       /**< private: the pattern of the names */
	struct pm_series weights;  /**< private: weight over time */
	struct pm_series counts;   /**< private: number of regions over time */
};

/** All groups; opaque. */
struct watch_similar;

/**
 * Creates groups.
 * @return no groups; release with watch_similar_destroy()
 */
struct watch_similar *watch_similar_create(void);

/**
 * Releases groups.
 * @param similar the groups, or NULL
 */
void watch_similar_destroy(struct watch_similar *similar);

/**
 * Starts to sum up tracks again. Then call watch_similar_add() for each track, and
 * watch_similar_end().
 * @param similar the groups
 */
void watch_similar_begin(struct watch_similar *similar);

/**
 * Adds a track to its group, if its file name has a key.
 * @param similar the groups
 * @param track a track
 * @param has_row the track would have a row
 */
void watch_similar_add(struct watch_similar *similar, const struct pm_track *track, bool has_row);

/**
 * Completes the sums, and adds them to the history of the groups if the sample is a new one.
 *
 * @param similar  the groups
 * @param tracker  the tracker of the tracks
 * @param sample   the last sample, whose regions were added to the tracker
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int watch_similar_end(struct watch_similar *similar, const struct pm_tracker *tracker,
                      const struct pm_sample *sample, struct pm_error *error);

/**
 * Returns the group that is shown instead of a track.
 * @param similar the groups, or NULL
 * @param track a track
 * @return the group; NULL if the track has a row of its own
 */
const struct watch_similar_group *watch_similar_of(const struct watch_similar *similar,
                                                   const struct pm_track *track);

/**
 * Returns a group.
 * @param similar the groups
 * @param index index of the group, from 0
 * @return the group; NULL if there are not that many
 */
const struct watch_similar_group *watch_similar_at(const struct watch_similar *similar,
                                                   size_t index);

/**
 * Counts growth from now on.
 * @param similar the groups
 */
void watch_similar_rebase(struct watch_similar *similar);

#endif
