/* SPDX-License-Identifier: MIT */
/** @file The rows of a family: its processes in the order in which they are shown. */
#ifndef CMD_WATCH_FAMILY_ROWS_H
#define CMD_WATCH_FAMILY_ROWS_H

#include "watch/family/members.h"
#include "watch/view.h"

/** The columns of a row. */
enum family_column {
	FAMILY_PID,
	FAMILY_NAME,
	FAMILY_RSS,
	FAMILY_GROWTH,
	FAMILY_RATE,
	FAMILY_VERDICT,
	FAMILY_DETAIL,
	FAMILY_COLUMNS, /**< number of columns */
};

/** Titles and alignments of the columns. */
extern const struct table_column family_rows_columns[FAMILY_COLUMNS];

/**
 * The rows: first the processes that run, then those that have ended, then those that cannot be
 * read. A zeroed struct has no rows.
 */
struct family_rows {
	struct family_member **items; /**< valid until the next sample; owned */
	size_t count;                 /**< number of items */
	size_t capacity;              /**< private */
};

/**
 * Makes the rows.
 *
 * @param rows     filled
 * @param members  the processes, after family_members_judge()
 * @param sort     the order
 */
void family_rows_update(struct family_rows *rows, const struct family_members *members,
                        enum watch_sort sort);

/**
 * Adds a cell, escaped.
 *
 * @param member  the process
 * @param column  the column
 * @param bytes   true: print sizes in bytes; false: with units
 * @param text    receives the cell
 */
void family_rows_cell(const struct family_member *member, enum family_column column, bool bytes,
                      struct text *text);

/**
 * Returns the style of a cell.
 *
 * @param member  the process
 * @param column  the column
 * @return        the style
 */
enum out_style family_rows_style(const struct family_member *member, enum family_column column);

/**
 * Adds "4720 worker", escaped.
 * @param member  the process
 * @param text    receives PID and name
 */
void family_rows_name(const struct family_member *member, struct text *text);

/**
 * Releases the rows.
 * @param rows  the rows
 */
void family_rows_deinit(struct family_rows *rows);

#endif
