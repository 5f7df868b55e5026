/* SPDX-License-Identifier: MIT */
/** @file The table of rows on the live screen. */
#ifndef CMD_WATCH_SCREEN_TABLE_H
#define CMD_WATCH_SCREEN_TABLE_H

#include "view/terminal.h"
#include "watch/history.h"
#include "watch/screen/rows.h"

/** The rows to draw, and how to draw them. */
struct screen_table {
	struct screen_rows *rows; /**< the rows; for visible rows, trends are computed */
	const struct watch_history *history;
	bool bytes; /**< true: print sizes in bytes; false: with units */
};

/**
 * Draws as many rows and columns as there is room for, and scrolls to the selected row.
 * @param table the rows, and how to draw them
 * @param terminal the terminal
 * @param line the first line
 * @param height number of lines, including the titles
 */
void screen_table_draw(const struct screen_table *table, struct terminal *terminal, int line,
                       int height);

#endif
