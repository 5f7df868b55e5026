/* SPDX-License-Identifier: MIT */
/** @file The rows of the live screen: filter, selection and scrolling. */
#ifndef CMD_WATCH_SCREEN_ROWS_H
#define CMD_WATCH_SCREEN_ROWS_H

#include "base/name_filter.h"
#include "base/text.h"
#include "watch/screen/keys.h"
#include "watch/screen/parts.h"
#include "watch/view.h"

/** The rows of the screen. In a zeroed struct, there are no rows. */
struct screen_rows {
	struct watch_row **items; /**< rows that pass the filter, sorted; made by
	                             screen_rows_update() */
	size_t count;             /**< number of items */
	size_t fitting;           /**< number of items that are not single regions */
	size_t hidden;            /**< number of rows that the filter hides */
	size_t index;             /**< index of the selected row */
	size_t top;               /**< index of the first visible row */
	/**
	 * The selected track. If it is NULL, the first row is selected, even if another track
	 * becomes the first row.
	 */
	const struct pm_track *selected;
	/** First address of the selected region of that track; 0 if the whole row is selected. */
	uint64_t selected_part;
	struct screen_tracks expanded; /**< tracks whose single regions are displayed */
	struct screen_part *parts;     /**< their rows; made by screen_rows_update() */
	bool grouped;           /**< each row is the sum of a kind or, if `by_owner`, of an owner */
	bool by_owner;          /**< with `grouped` */
	struct watch_sums sums; /**< the rows if `grouped` is true */
	struct name_filter filter; /**< hides the rows whose kind and mapping it does not match */
	/** The filter as the user wrote it; empty if there is no filter. */
	struct text filter_text;
};

/**
 * Releases the rows.
 * @param rows the rows
 */
void screen_rows_deinit(struct screen_rows *rows);

/**
 * Replaces the rows by those of a view. The selected track stays selected, even if its row has
 * moved.
 *
 * @param rows     the rows
 * @param history  the history
 * @param view     the rows of the history; must stay valid until the next update
 * @param parts    the regions of the tracks in `expanded`; must stay valid until the next update
 */
void screen_rows_update(struct screen_rows *rows, const struct watch_history *history,
                        struct watch_view *view, const struct screen_parts *parts);

/**
 * Expands or collapses the selected row. If a single region is selected, collapsing selects the
 * row that contains it.
 *
 * @param rows    the rows; call screen_rows_update() afterwards
 * @param action  SCREEN_EXPAND, SCREEN_COLLAPSE or SCREEN_TOGGLE
 * @return        false if the row does not have several regions; then nothing was done
 */
bool screen_rows_expand(struct screen_rows *rows, enum screen_action action);

/**
 * Selects a row.
 * @param rows   the rows
 * @param index  its index, less than `count`
 */
void screen_rows_select(struct screen_rows *rows, size_t index);

/**
 * Moves the selection.
 * @param rows the rows
 * @param by number of rows, negative for up. The selection stops at the first and the last row
 */
void screen_rows_move(struct screen_rows *rows, long by);

/**
 * Scrolls so that the selected row is visible.
 * @param rows the rows
 * @param height number of visible rows
 */
void screen_rows_scroll(struct screen_rows *rows, size_t height);

/**
 * Returns the selected row.
 * @param rows the rows
 * @return the row; NULL if there are no rows
 */
struct watch_row *screen_rows_selected(const struct screen_rows *rows);

/**
 * Hides rows whose kind and mapping do not match.
 *
 * @param rows     the rows; call screen_rows_update() afterwards
 * @param pattern  a regular expression that ignores case; "" for all rows
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int screen_rows_filter(struct screen_rows *rows, const char *pattern, struct pm_error *error);

/**
 * Selects the next row whose address, kind or mapping matches.
 *
 * @param rows     the rows
 * @param pattern  a regular expression that ignores case
 * @param error    PM_ERROR_USAGE, PM_ERROR_NOT_FOUND
 * @return         0 or -1
 */
int screen_rows_search(struct screen_rows *rows, const char *pattern, struct pm_error *error);

#endif
