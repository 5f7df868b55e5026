/* SPDX-License-Identifier: MIT */
/** @file A list while its table is printed: which of its columns there is room for. */
#ifndef CMD_VIEW_LIST_VIEW_H
#define CMD_VIEW_LIST_VIEW_H

#include "view/list.h"

/** A list while its table is printed. All zero but `list` is the begin. */
struct list_view {
	const struct list *list;                      /**< the list */
	struct table_column heads[TABLE_COLUMNS_MAX]; /**< the table's columns */
	const struct list_column
		*columns[TABLE_COLUMNS_MAX]; /**< the list's columns that they show */
	size_t column_count;                 /**< how many */
	uint64_t sums[TABLE_COLUMNS_MAX];    /**< sums of those that have one */
	bool summed[TABLE_COLUMNS_MAX];      /**< `sums` holds */
	bool unknown[TABLE_COLUMNS_MAX]; /**< an item's figure is not known, so neither is the sum
	                                  */
	size_t label;        /**< the column in which the totals are labelled, SIZE_MAX for none */
	bool brief;          /**< there is little room for the last column */
	struct text raw;     /**< a cell before escaping */
	size_t *ids;         /**< numbers of the shown items in a session; NULL: none are shown */
	struct text dropped; /**< titles of the columns that did not fit */
};

/** The column before all others that shows the items' numbers. */
extern const struct list_column list_fit_id_column;

/**
 * Whether a column tells how much; there something unknown is worth a mark. The others name things
 * that need not exist.
 */
static inline bool list_is_quantity(const struct list_column *column)
{
	return column->type == LIST_SIZE || column->type == LIST_COUNT ||
	       column->type == LIST_PERCENT;
}

#endif
