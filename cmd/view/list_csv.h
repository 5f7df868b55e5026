/* SPDX-License-Identifier: MIT */
/** @file FILL list_csv.c */
#ifndef CMD_VIEW_LIST_CSV_H
#define CMD_VIEW_LIST_CSV_H

#include "view/list.h"

/**
 * Prints the shown items as comma-separated values.
 * @param list the sorted list
 * @param out where to
 */
void list_csv_print(const struct list *list, struct out *out);

#endif
