/* SPDX-License-Identifier: MIT */
/**
 * @file A table of regions. In a session, its first column shows the numbers of the regions
 * (results.h). Lists (list.h) are printed without these functions, because they have such a column
 * themselves.
 */
#ifndef CMD_VIEW_NUMBERED_TABLE_H
#define CMD_VIEW_NUMBERED_TABLE_H

#include <procmem/region.h>
#include <procmem/select.h>

#include "view/table.h"

/** The region of a row. */
struct numbered_row {
	uint64_t start;      /**< first address */
	uint64_t end;        /**< address after the last byte */
	enum pm_kind kind;   /**< kind of the region */
	const char *mapping; /**< mapping of the region, "" if it has none */
	/**
	 * If the row covers several regions, all of them by address; otherwise NULL. Owned by the
	 * caller of the function that fills the row.
	 */
	struct pm_region_range *ranges;
	size_t range_count; /**< number of items in `ranges` */
};

/**
 * Measures and prints a table. In a session, adds a first column with the numbers of the rows.
 *
 * @param table  the table, without the column of numbers and without a `width` function
 * @param row    fills the region of a row, given the context of the table and the index of the row;
 *               returns false if the row is not a region that exists
 * @param out    receives the table
 */
void numbered_table_print(const struct table *table,
                          bool (*row)(void *context, size_t index, struct numbered_row *row),
                          struct out *out);

/**
 * Checks whether a terminal has room for all columns, including the numbers in a session. The last
 * column, which can be cut, needs room for its title and some words.
 *
 * @param table  the table
 * @param out    the output
 * @return       true if the columns fit
 */
bool numbered_table_fits(const struct table *table, const struct out *out);

#endif
