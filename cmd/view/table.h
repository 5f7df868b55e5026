/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Aligned columns of text.
 *
 * Each cell is formatted twice, once to measure its width and once to print it, and is never
 * stored. This way a listing of 60,000 rows needs no memory for its cells, and formatting a number
 * twice is cheaper than storing it.
 */
#ifndef CMD_VIEW_TABLE_H
#define CMD_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"
#include "base/text.h"

/** Maximum number of columns of a table. */
enum { TABLE_COLUMNS_MAX = 64 };

/** The row number that the functions of struct table receive for the row of totals. */
#define TABLE_TOTAL SIZE_MAX

/** One column. */
struct table_column {
	const char *title;    /**< title, ASCII */
	bool right;           /**< aligned to the right, as numbers are */
	enum out_style style; /**< style of its cells */
};

/** A table. */
struct table {
	const struct table_column *columns; /**< the columns, at least one */
	size_t column_count;                /**< number of columns */
	size_t rows;                        /**< number of rows, without the totals */
	bool titles;                        /**< the table starts with a line of titles */
	bool total;                         /**< the table ends with a row of totals */
	bool open_end; /**< if the last column is text, it is not measured, and lines may have any
	                  length */
	void *context; /**< passed to the functions below */
	/** Adds the text of a cell, escaped and without newlines, to an empty text. */
	void (*cell)(void *context, size_t row, size_t column, struct text *text);
	/**
	 * Returns the width of a cell in terminal columns, or SIZE_MAX if the width is not known
	 * without formatting the cell. NULL if no width is known without formatting the cell.
	 */
	size_t (*width)(void *context, size_t row, size_t column);
	/** Returns the style of a cell. NULL to use the styles of the columns. */
	enum out_style (*style)(void *context, size_t row, size_t column);
	/** Prints whole lines below a row. NULL to print none. */
	void (*below)(void *context, size_t row, struct out *out);
	/** Prints whole lines before the totals. NULL to print none. */
	void (*before_total)(void *context, struct out *out);
};

/**
 * Measures the columns: their titles and their cells.
 *
 * @param table   the table
 * @param widths  receives the width of each column, in terminal columns
 */
void table_measure(const struct table *table, size_t *widths);

/**
 * Returns the width of a line up to the text of a column.
 *
 * @param table   the table
 * @param widths  the widths, as measured
 * @param column  the column; table->column_count for the width of the whole line
 * @return        number of terminal columns
 */
size_t table_offset(const struct table *table, const size_t *widths, size_t column);

/**
 * Prints a table. The last column is cut at the edge of the terminal, and text that is wider than
 * its column is cut too.
 *
 * @param table   the table
 * @param widths  the widths, as measured, or smaller for columns of text
 * @param out     receives the table
 */
void table_print(const struct table *table, const size_t *widths, struct out *out);

#endif
