/* SPDX-License-Identifier: MIT */
/**
 * @file The single regions of rows that have several, copied from one sample, so that they can be
 * displayed until the next one.
 */
#ifndef CMD_WATCH_SCREEN_PARTS_H
#define CMD_WATCH_SCREEN_PARTS_H

#include "watch/history.h"
#include "watch/view.h"

/** The regions of some tracks. A zeroed struct has none. */
struct screen_parts {
	struct pm_regions regions;      /**< copies of the regions, by ascending address */
	const struct pm_track **tracks; /**< the track of each region; owned array */
	bool taken;                     /**< the members above are valid */
};

/** The row of a single region. It has no history: only the track of all regions has one. */
struct screen_part {
	struct watch_row row;  /**< its track is `track`; `part_of` is set */
	struct pm_track track; /**< addresses, sizes and names of the region */
};

/** Tracks, in no particular order. A zeroed struct is empty. */
struct screen_tracks {
	const struct pm_track **items; /**< owned array */
	size_t count;                  /**< number of tracks */
};

/**
 * Checks whether a track is one of some tracks.
 * @param tracks  the tracks
 * @param track   the track
 * @return        true or false
 */
bool screen_parts_are_of(const struct screen_tracks *tracks, const struct pm_track *track);

/**
 * Copies the regions of the last sample that belong to tracks with several regions.
 *
 * @param parts    a struct to fill, zeroed or filled before; unchanged on failure; release with
 *                 screen_parts_deinit()
 * @param history  the history, not a copy
 * @param tracks   the tracks; NULL for all
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int screen_parts_take(struct screen_parts *parts, const struct watch_history *history,
                      const struct screen_tracks *tracks, struct pm_error *error);

/**
 * Makes the rows of the regions of a track, largest first.
 *
 * @param parts  the regions
 * @param track  the track
 * @param rows   receives the rows; room for all regions of `parts`. They are valid as long as
 *               `parts`
 * @return       number of rows
 */
size_t screen_parts_rows(const struct screen_parts *parts, const struct pm_track *track,
                         struct screen_part *rows);

/**
 * Releases the regions.
 * @param parts  filled, or zeroed; zeroed afterwards
 */
void screen_parts_deinit(struct screen_parts *parts);

#endif
