/* SPDX-License-Identifier: MIT */
/**
 * @file What is told of a process that is watched and of its rows, piece by piece: for text and for
 * the live screen.
 */
#ifndef CMD_WATCH_FORMAT_H
#define CMD_WATCH_FORMAT_H

#include "view/table.h"
#include "watch/watch.h"

/** What can be told of a row. */
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
	WATCH_COLUMNS,
};

/** Titles and styles of them. */
extern const struct table_column watch_format_columns[WATCH_COLUMNS];

/**
 * Adds what stands in a column of a row, escaped.
 * @param watch the process
 * @param row its row
 * @param column which
 * @param text gets it
 */
void watch_format_cell(const struct watch *watch, const struct watch_row *row,
                       enum watch_column column, struct text *text);

/**
 * Style of it.
 * @param row the row
 * @param column which
 * @return the style
 */
enum out_style watch_format_style(const struct watch_row *row, enum watch_column column);

/**
 * Adds what a row is: mapping, detail, number of regions.
 * @param row the row
 * @param text gets it, escaped
 */
void watch_format_describe(const struct watch_row *row, struct text *text);

/**
 * Adds a size as the user wants it.
 * @param watch the process
 * @param size in bytes
 * @param text gets it
 */
void watch_format_size(const struct watch *watch, uint64_t size, struct text *text);

/**
 * Adds a rate where growth goes on, else "-".
 * @param trend what is seen
 * @param text gets it
 */
void watch_format_rate(const struct pm_trend *trend, struct text *text);

/**
 * Adds what is resident, and how that changed at the last look.
 * @param watch the process @param text gets it
 */
void watch_format_rss(const struct watch *watch, struct text *text);

/**
 * Adds what that consists of, each behind two blanks.
 * @param watch the process
 * @param text gets it
 */
void watch_format_parts(const struct watch *watch, struct text *text);

/**
 * Adds its limit and what is left, if there is one, behind two blanks.
 * @param watch the process
 * @param text gets it
 */
void watch_format_limit(const struct watch *watch, struct text *text);

/**
 * Adds what watching costs.
 * @param watch the process
 * @param text gets it
 */
void watch_format_cost(const struct watch *watch, struct text *text);

#endif
