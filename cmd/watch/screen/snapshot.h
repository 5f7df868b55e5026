/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A picture of one moment: what the live screen shows of a process, copied, so that it can be
 * looked at while the process is watched on.
 */
#ifndef CMD_WATCH_SCREEN_SNAPSHOT_H
#define CMD_WATCH_SCREEN_SNAPSHOT_H

#include "watch/kinds.h"

/** One track of the picture. */
struct screen_snapshot_track {
	struct pm_track track;       /**< as it was; with series and texts of its own */
	const struct pm_track *live; /**< what it is a picture of */
	struct text peek;            /**< what peek_print_describe() told of its row */
};

/** A picture. Zeroed: none was taken. */
struct screen_snapshot {
	bool taken;         /**< there is one */
	struct watch watch; /**< what is told of the process; nothing can be read with it, and rows
	                       can be sorted */
	struct watch_kinds kinds;             /**< its kinds */
	struct screen_snapshot_track *tracks; /**< what its rows are made of */
	const struct pm_track **pointers;     /**< to them */
	struct pm_regions details;            /**< owns the details of the tracks */
	size_t count;                         /**< how many */
};

/**
 * Takes a picture of this moment.
 *
 * @param still  filled; release with screen_snapshot_drop()
 * @param watch  the process; its options are the picture's, too
 * @param kinds  its kinds
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int screen_snapshot_take(struct screen_snapshot *still, const struct watch *watch,
                         const struct watch_kinds *kinds, struct pm_error *error);

/**
 * Throws it away.
 * @param still a picture or none
 */
void screen_snapshot_drop(struct screen_snapshot *still);

/**
 * What a track of the picture is a picture of.
 *
 * @param still  a picture
 * @param kinds  the kinds that it was taken of
 * @param track  of one of its rows
 * @return       the track by which that is followed on
 */
const struct pm_track *screen_snapshot_live(const struct screen_snapshot *still,
                                            const struct watch_kinds *kinds,
                                            const struct pm_track *track);

/**
 * The other way round.
 *
 * @param still  a picture
 * @param kinds  the kinds that it was taken of
 * @param live   a track
 * @return       its picture; NULL where there is none
 */
const struct pm_track *screen_snapshot_of(const struct screen_snapshot *still,
                                          const struct watch_kinds *kinds,
                                          const struct pm_track *live);

/**
 * What was told of the new pages of a row.
 * @param still a picture
 * @param row one of its rows
 * @param text gets it
 */
void screen_snapshot_describe_peek(const struct screen_snapshot *still, const struct watch_row *row,
                                   struct text *text);

#endif
