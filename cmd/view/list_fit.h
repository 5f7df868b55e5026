/* SPDX-License-Identifier: MIT */
/** @file The columns of a list's table, fitted to the width of the terminal. */
#ifndef CMD_VIEW_LIST_FIT_H
#define CMD_VIEW_LIST_FIT_H

#include "view/list.h"

/** A list while its table is printed. Before use, zero the structure except `list` and `ids`. */
struct list_view {
	const struct list *list;                              /**< the list */
	struct table_column heads[TABLE_COLUMNS_MAX];         /**< columns of the table */
	const struct list_column *columns[TABLE_COLUMNS_MAX]; /**< columns of the list that are
	                                                         shown, in the same order */
	size_t column_count;                                  /**< number of columns shown */
	uint64_t sums[TABLE_COLUMNS_MAX]; /**< sums of the columns that have one */
	bool summed[TABLE_COLUMNS_MAX];   /**< `sums` is valid */
	bool unknown[TABLE_COLUMNS_MAX];  /**< a value is not known, so the sum is not known either
	                                   */
	bool bound[TABLE_COLUMNS_MAX];    /**< the sum is a lower bound */
	size_t label;    /**< column with the label of the totals, SIZE_MAX if no column has it */
	bool brief;      /**< there is little room for the last column */
	struct text raw; /**< a cell before escaping; owned */
	size_t *ids; /**< numbers of the shown items in a session, NULL if none are shown; owned */
	struct text dropped; /**< titles of the columns that did not fit; owned */
};

/** The column with the session's numbers of the items. It is the first column of the table. */
extern const struct list_column list_fit_id_column;

/**
 * Sets the columns of the table to those of the list, and sums their values.
 *
 * @param view  the view
 * @param drop  for each column of the list, true to leave out the column; NULL to show all columns
 */
void list_fit_set_columns(struct list_view *view, const bool *drop);

/**
 * Measures the columns and fits them to the terminal. If the table is too wide, shortens paths to
 * base names. If that is not enough, leaves out the columns that `droppable` and `droppable_last`
 * of the description name, except those that the user asked for. If that is still not enough, cuts
 * texts.
 *
 * @param view    the view, with its columns
 * @param table   the table that prints the view
 * @param widths  receives the widths of the columns that remain
 * @param out     the output
 */
void list_fit_view(struct list_view *view, struct table *table, size_t *widths,
                   const struct out *out);

#endif
