/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Aligned columns of text.
 *
 * Cells are asked for twice, once to measure and once to print, and are never stored: a listing of
 * 60,000 rows needs no memory for its cells, and writing a number twice by hand is cheaper than
 * keeping it.
 */
#ifndef CMD_VIEW_TABLE_H
#define CMD_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"
#include "base/text.h"

/** Most columns that a table may have. */
enum { TABLE_COLUMNS_MAX = 64 };

/** Row number of the totals in struct table.cell. */
#define TABLE_TOTAL SIZE_MAX

/** One column. */
struct table_column {
	const char *title;    /**< what stands above it, ASCII */
	bool right;           /**< aligned to the right, as numbers are */
	enum out_style style; /**< of its cells */
};

/** A table. */
struct table {
	const struct table_column *columns; /**< its columns, at least one */
	size_t column_count;                /**< how many */
	size_t rows;                        /**< how many rows, without that of the totals */
	bool titles;                        /**< begins with a line of titles */
	bool total;                         /**< ends with a row of totals */
	bool open_end; /**< lines may be of any length: a last column of words is not measured */
	void *context; /**< handed to the functions below */
	/** Adds the text of a cell, escaped and in one line, to an empty text. */
	void (*cell)(void *context, size_t row, size_t column, struct text *text);
	/**
	 * How many columns of the terminal a cell takes, where that is known without making its
	 * text; SIZE_MAX: it is not. NULL: never.
	 */
	size_t (*width)(void *context, size_t row, size_t column);
	/** Style of a cell, instead of its column's; NULL: always the column's. */
	enum out_style (*style)(void *context, size_t row, size_t column);
	/** Writes whole lines below a row; NULL for nothing. */
	void (*below)(void *context, size_t row, struct out *out);
	/** Writes whole lines before the totals; NULL for nothing. */
	void (*before_total)(void *context, struct out *out);
};

/**
 * Finds out how wide each column is: of its title and its cells.
 * @param table the table @param widths gets table->column_count widths
 */
void table_measure(const struct table *table, size_t *widths);

/**
 * Width of a line up to the text of a column.
 *
 * @param table   the table
 * @param widths  as measured
 * @param column  the column; table->column_count: the width of all
 * @return        terminal columns
 */
size_t table_offset(const struct table *table, const size_t *widths, size_t column);

/**
 * Prints it; the last column is cut where the terminal ends, and words that are longer than their
 * column is wide are cut too.
 *
 * @param table   the table
 * @param widths  as measured, or narrower for columns of words
 * @param out     where to
 */
void table_print(const struct table *table, const size_t *widths, struct out *out);

#endif
