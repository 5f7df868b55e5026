/* SPDX-License-Identifier: MIT */
/** @file The table of rows on the live screen. */
#ifndef CMD_WATCH_SCREEN_TABLE_H
#define CMD_WATCH_SCREEN_TABLE_H

#include "view/terminal.h"
#include "watch/history.h"
#include "watch/screen/rows.h"

enum { SCREEN_TABLE_COLUMNS_MAX = 10 };

/** Where the table was drawn. If zeroed, it is not displayed. */
struct screen_table_place {
	int first_row; /**< line of the first row; the titles are above it */
	int row_count; /**< number of lines for rows; 0: the table is not displayed */
	/** The visible columns. */
	struct {
		int column; /**< enum watch_column, or another column of the screen */
		int start;  /**< first column of the terminal */
		int width;  /**< number of columns of the terminal */
	} cells[SCREEN_TABLE_COLUMNS_MAX];
	int cell_count; /**< number of visible columns */
};

/** The rows to draw, and how to draw them. */
struct screen_table {
	struct screen_rows *rows; /**< the rows; for visible rows, trends are computed */
	const struct watch_history *history;
	bool bytes;                       /**< true: print sizes in bytes; false: with units */
	enum watch_sort sort;             /**< the order of the rows */
	struct screen_table_place *place; /**< receives where the table is drawn */
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

/**
 * Finds the order of the rows that belongs to a column of the table.
 *
 * @param place   where the table was drawn
 * @param column  column of the terminal
 * @param sort    receives the order
 * @return        false if rows cannot be sorted by what is there
 */
bool screen_table_sort_at(const struct screen_table_place *place, int column,
                          enum watch_sort *sort);

/**
 * Checks whether addresses are displayed at a column.
 *
 * @param place   where the table was drawn
 * @param column  column of the terminal
 * @return        true or false
 */
bool screen_table_has_address_at(const struct screen_table_place *place, int column);

#endif
