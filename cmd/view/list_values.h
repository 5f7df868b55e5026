/* SPDX-License-Identifier: MIT */
/** @file FILL list_values.c */
#ifndef CMD_VIEW_LIST_VALUES_H
#define CMD_VIEW_LIST_VALUES_H

#include "view/list.h"

/**
 * Adds the exact value of an item, not escaped.
 * @param column the column
 * @param item the item
 * @param text gets it
 */
void list_values_exact(const struct list_column *column, const void *item, struct text *text);

/**
 * How many characters list_values_put_number() adds.
 * @param list the list
 * @param column the column
 * @param value the number
 * @return characters
 */
size_t list_values_number_length(const struct list *list, const struct list_column *column,
                                 uint64_t value);

/**
 * Adds a number of a column as the table shows it: sizes for people, unless exact ones are wanted.
 *
 * @param list    the list
 * @param column  the column
 * @param value   the number
 * @param text    gets it
 */
void list_values_put_number(const struct list *list, const struct list_column *column,
                            uint64_t value, struct text *text);

/**
 * Sums up a column.
 *
 * @param column  the column
 * @param items   the items
 * @param count   how many
 * @param sum     filled
 * @return        false where none is known, or one that should be is not
 */
bool list_values_sum(const struct list_column *column, const void *const *items, size_t count,
                     uint64_t *sum);

#endif
