/* SPDX-License-Identifier: MIT */
/**
 * @file Formats what is known of a watched process and of its rows, for text and for the live
 * screen.
 */
#ifndef CMD_WATCH_FORMAT_H
#define CMD_WATCH_FORMAT_H

#include "view/table.h"
#include "watch/view.h"

/** The columns of a row. */
enum watch_column {
	WATCH_ADDRESS,
	WATCH_RSS,
	WATCH_DELTA,
	WATCH_GROWTH,
	WATCH_RATE,
	WATCH_PER_HOUR,
	WATCH_PER_DAY,
	WATCH_VERDICT,
	WATCH_KIND,
	WATCH_MAPPING,
	WATCH_COLUMNS, /**< number of columns */
};

/** Titles, styles and alignments of the columns. */
extern const struct table_column watch_format_columns[WATCH_COLUMNS];

/**
 * Adds a cell, escaped.
 * @param row the row
 * @param column the column
 * @param bytes sizes in bytes
 * @param text receives the cell
 */
void watch_format_cell(const struct watch_row *row, enum watch_column column, bool bytes,
                       struct text *text);

/**
 * Returns the style of a cell.
 * @param row the row
 * @param column the column
 * @return the style
 */
enum out_style watch_format_style(const struct watch_row *row, enum watch_column column);

/**
 * Adds what a row is: mapping, detail, number of regions; escaped.
 * @param row the row
 * @param text receives the description
 */
void watch_format_describe(const struct watch_row *row, struct text *text);

/**
 * Adds the number of regions besides the displayed one: " +5"; nothing if there are none.
 * @param count number of all regions
 * @param text receives the number
 */
void watch_format_add_more(size_t count, struct text *text);

/**
 * Adds a size.
 * @param size in bytes
 * @param bytes format as bytes
 * @param text receives the size
 */
void watch_format_size(uint64_t size, bool bytes, struct text *text);

/**
 * Adds a rate if growth continues, else "-".
 * @param trend the trend
 * @param text receives the rate
 */
void watch_format_rate(const struct pm_trend *trend, struct text *text);

/**
 * Adds the resident size, and its change in the last sample.
 * @param history the history
 * @param bytes sizes in bytes
 * @param text receives the sizes
 */
void watch_format_rss(const struct watch_history *history, bool bytes, struct text *text);

/**
 * Adds the parts of the resident size, each after two spaces.
 * @param history the history
 * @param bytes sizes in bytes
 * @param text receives the sizes
 */
void watch_format_parts(const struct watch_history *history, bool bytes, struct text *text);

/**
 * Adds the limits that come first and what they leave, each after two spaces.
 * @param history the history
 * @param bytes sizes in bytes
 * @param text receives the limits
 */
void watch_format_limit(const struct watch_history *history, bool bytes, struct text *text);

/**
 * Adds the cost of watching, after two spaces unless the text is empty.
 * @param history the history
 * @param text receives the cost
 */
void watch_format_cost(const struct watch_history *history, struct text *text);

#endif
