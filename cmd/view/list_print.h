/* SPDX-License-Identifier: MIT */
/** @file Prints a list as a table or as comma-separated values. JSON is in json.h. */
#ifndef CMD_VIEW_LIST_PRINT_H
#define CMD_VIEW_LIST_PRINT_H

#include "view/list.h"

/**
 * Prints a list as a table or as CSV. The options and the height of the terminal limit the number
 * of items.
 *
 * @param list  the sorted list; receives the number of items to print in `shown`
 * @param out   receives the list
 */
void list_print(struct list *list, struct out *out);

#endif
