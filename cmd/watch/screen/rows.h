/* SPDX-License-Identifier: MIT */
/** @file Which rows the live screen has, which of them is selected, and which are in sight. */
#ifndef CMD_WATCH_SCREEN_ROWS_H
#define CMD_WATCH_SCREEN_ROWS_H

#include "base/name_filter.h"
#include "watch/kinds.h"

/** The rows. Zeroed to begin with. */
struct screen_rows {
	struct watch_row **items;        /**< those that pass the filter, in their order; made by
	                                    screen_rows_update() */
	size_t count;                    /**< how many */
	size_t hidden;                   /**< how many the filter hides */
	size_t index;                    /**< of the selected one */
	size_t top;                      /**< index of the first in sight */
	const struct pm_track *selected; /**< what is selected, wherever it stands; NULL: the first
	                                    row, whatever that is */
	bool grouped;                    /**< rows are kinds */
	struct name_filter filter;       /**< fits kinds and mappings that are shown */
	struct text filter_text;         /**< as the user wrote it; empty: none */
};

/**
 * Releases them.
 * @param rows the rows
 */
void screen_rows_deinit(struct screen_rows *rows);

/**
 * Takes over what was seen at a look. What is selected stays so, wherever it is now.
 *
 * @param rows   the rows
 * @param watch  the process
 * @param kinds  what to show when they are grouped
 */
void screen_rows_update(struct screen_rows *rows, struct watch *watch, struct watch_kinds *kinds);

/**
 * Moves the selection.
 * @param rows the rows
 * @param by how far; what is too far ends at the first or last
 */
void screen_rows_move(struct screen_rows *rows, long by);

/**
 * Scrolls so that the selected one is in sight.
 * @param rows the rows
 * @param height how many are in sight
 */
void screen_rows_scroll(struct screen_rows *rows, size_t height);

/**
 * The selected row.
 * @param rows the rows
 * @return the row, NULL where there is none
 */
struct watch_row *screen_rows_selected(const struct screen_rows *rows);

/**
 * Shows only rows whose kind or mapping fits.
 *
 * @param rows   the rows; to be updated afterwards
 * @param words  a regular expression; "" for all rows
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
int screen_rows_filter(struct screen_rows *rows, const char *words, struct pm_error *error);

/**
 * Selects the next row whose address, kind or mapping fits.
 *
 * @param rows   the rows
 * @param words  a regular expression
 * @param error  PM_ERROR_USAGE, PM_ERROR_NOT_FOUND
 * @return       0 or -1
 */
int screen_rows_search(struct screen_rows *rows, const char *words, struct pm_error *error);

#endif
