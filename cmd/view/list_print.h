/* SPDX-License-Identifier: MIT */
/** @file FILL list_print.c */
#ifndef CMD_VIEW_LIST_PRINT_H
#define CMD_VIEW_LIST_PRINT_H

#include "view/list.h"

/**
 * Prints the list as a table or as CSV, as much of it as the options and the terminal ask for.
 *
 * @param list  the sorted list; `shown` is set
 * @param out   where to
 */
void list_print(struct list *list, struct out *out);

#endif
