/* SPDX-License-Identifier: MIT */
/**
 * @file A copy of the data that the live screen displays. The copy does not change while sampling
 * continues.
 */
#ifndef CMD_WATCH_SCREEN_SNAPSHOT_H
#define CMD_WATCH_SCREEN_SNAPSHOT_H

#include "base/text.h"
#include "watch/history.h"
#include "watch/peek/peek.h"
#include "watch/screen/parts.h"
#include "watch/view.h"

/** A copied track. */
struct screen_snapshot_track {
	struct pm_track track;       /**< the copy, with texts and series of its own */
	const struct pm_track *live; /**< the original */
	struct text peek;            /**< description of the strings in its new pages */
};

/** A snapshot. A zeroed struct means that no snapshot was taken. */
struct screen_snapshot {
	bool taken;                   /**< the other members are valid */
	struct watch_history history; /**< a copy, which uses the copied tracks */
	struct watch_view view;       /**< the rows of `history`; they can be sorted again */
	struct screen_snapshot_track *tracks; /**< all tracks that can have a row */
	const struct pm_track **pointers;     /**< pointers to the copied tracks, for `history` */
	size_t *files; /**< for `history`, the number of file names of each track, or 0 */
	size_t count;  /**< number of tracks */
	struct screen_parts parts; /**< the regions of copied tracks with several regions */
	struct pm_regions details; /**< owns the details of the tracks */
};

/**
 * Takes a snapshot.
 *
 * @param snapshot  filled; release with screen_snapshot_drop(), also on failure
 * @param history   the history
 * @param view      the displayed rows
 * @param peek      the strings in new pages, or NULL
 * @param error     PM_ERROR_RESOURCES and others of watch_view_update()
 * @return          0 or -1
 */
int screen_snapshot_take(struct screen_snapshot *snapshot, const struct watch_history *history,
                         const struct watch_view *view, const struct peek *peek,
                         struct pm_error *error);

/**
 * Copies the regions of the tracks with several regions, too. They then belong to the copied
 * tracks.
 *
 * @param snapshot  a snapshot that was taken
 * @param history   the history from which it was taken; its last sample must be complete
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int screen_snapshot_take_parts(struct screen_snapshot *snapshot,
                               const struct watch_history *history, struct pm_error *error);

/**
 * Releases a snapshot.
 * @param snapshot a snapshot, or zeroed; zeroed afterwards
 */
void screen_snapshot_drop(struct screen_snapshot *snapshot);

/**
 * Finds the track of which a track of the snapshot is a copy.
 *
 * @param snapshot  the snapshot
 * @param history   the history from which the snapshot was taken
 * @param track     a track of the snapshot, or one of its kinds
 * @return          the original
 */
const struct pm_track *screen_snapshot_live(const struct screen_snapshot *snapshot,
                                            const struct watch_history *history,
                                            const struct pm_track *track);

/**
 * Finds the copy of a track in the snapshot.
 *
 * @param snapshot  the snapshot
 * @param history   the history from which the snapshot was taken
 * @param live      a track of this history, or one of its kinds
 * @return          the copy; NULL if the track was not copied
 */
const struct pm_track *screen_snapshot_of(const struct screen_snapshot *snapshot,
                                          const struct watch_history *history,
                                          const struct pm_track *live);

/**
 * Adds the description of the strings in the new pages of a row.
 * @param snapshot the snapshot
 * @param row one of its rows
 * @param text receives one line, or nothing
 */
void screen_snapshot_describe_peek(const struct screen_snapshot *snapshot,
                                   const struct watch_row *row, struct text *text);

#endif
