/* SPDX-License-Identifier: MIT */
/**
 * @file Formats the sizes, limits and rows of a watched process, for text output and for the live
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
	WATCH_SIZE,
	WATCH_SIZE_GROWTH,
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
 * @param bytes true: print sizes in bytes; false: with units
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
 * Adds the description of a row, escaped: its mapping, its detail and the number of its regions.
 * @param row the row
 * @param text receives the description
 */
void watch_format_describe(const struct watch_row *row, struct text *text);

/**
 * Adds the number of regions of a row besides the displayed one, such as " +5". Adds nothing if the
 * row has no other regions.
 * @param count number of all regions
 * @param text receives the number
 */
void watch_format_add_more(size_t count, struct text *text);

/**
 * Adds a size.
 * @param size in bytes
 * @param bytes true: print the size in bytes; false: with a unit
 * @param text receives the size
 */
void watch_format_size(uint64_t size, bool bytes, struct text *text);

/**
 * Adds the resident size, and its change in the last sample.
 * @param history the history
 * @param bytes true: print sizes in bytes; false: with units
 * @param text receives the sizes
 */
void watch_format_rss(const struct watch_history *history, bool bytes, struct text *text);

/**
 * Adds the kinds of memory of the process (anon, file, shmem, swap), each after two spaces.
 * @param history the history
 * @param bytes true: print sizes in bytes; false: with units
 * @param text receives the sizes
 */
void watch_format_parts(const struct watch_history *history, bool bytes, struct text *text);

/**
 * Adds the limits that the process will reach first, each after two spaces. After each limit
 * follows the time until it is reached or, if this time is not known, the amount that is left. Adds
 * the reserve that will be used up first, if this time is known.
 * @param history the history
 * @param bytes true: print sizes in bytes; false: with units
 * @param text receives the limits
 */
void watch_format_limit(const struct watch_history *history, bool bytes, struct text *text);

/**
 * Checks whether the memory limit that watch_format_limit() names is that of a cgroup which fills
 * up although the memory of the process does not grow: with page cache, tmpfs, memory of the
 * kernel, or that of other processes.
 * @param history  the history
 * @return         true or false
 */
bool watch_format_fills_outside(const struct watch_history *history);

/**
 * Adds the cost of watching, after two spaces unless the text is empty.
 * @param history the history
 * @param text receives the cost
 */
void watch_format_cost(const struct watch_history *history, struct text *text);

/**
 * Adds the age of the sizes of the regions, after two spaces unless the text is empty: "regions as
 * of 3.0s ago". Adds nothing unless --budget did not allow the regions to be measured for the last
 * sample.
 * @param history the history
 * @param text receives the age
 */
void watch_format_age(const struct watch_history *history, struct text *text);

#endif
