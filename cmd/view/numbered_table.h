/* SPDX-License-Identifier: MIT */
/**
 * @file A table of regions whose rows begin with their numbers, in a session (results.h). Lists
 * (list.h) do that by themselves.
 */
#ifndef CMD_VIEW_NUMBERED_TABLE_H
#define CMD_VIEW_NUMBERED_TABLE_H

#include <procmem/region.h>
#include <procmem/select.h>

#include "view/table.h"

/** What a row is about: enough to number it. */
struct numbered_row {
	uint64_t start;                 /**< first address */
	uint64_t end;                   /**< address behind the last byte */
	enum pm_kind kind;              /**< its kind */
	const char *mapping;            /**< its mapping, "" for none */
	struct pm_region_range *ranges; /**< where it stands for several: all of them, by address,
	                            from the heap; else NULL */
	size_t range_count;             /**< how many these are */
};

/**
 * Measures and prints a table, in a session with the numbers of its rows before them.
 *
 * @param table  the table, without that column; no function for widths
 * @param row    tells what a row is about: context of the table, index of the row, where to store
 * it; false: it is no region that is there
 * @param out    where to
 */
void numbered_table_print(const struct table *table,
                          bool (*row)(void *context, size_t index, struct numbered_row *row),
                          struct out *out);

/**
 * Whether a terminal has room for all columns, in a session with the numbers before them; of a last
 * one, which is cut, for its title and some words.
 *
 * @param table  the table
 * @param out    where it is to be printed
 * @return       true or false
 */
bool numbered_table_fits(const struct table *table, const struct out *out);

#endif
