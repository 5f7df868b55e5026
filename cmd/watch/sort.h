/* SPDX-License-Identifier: MIT */
/** @file FILL sort.c */
#ifndef CMD_WATCH_SORT_H
#define CMD_WATCH_SORT_H

#include "watch/watch.h"

/**
 * Fills the trends of a row.
 * @param watch the process
 * @param row one of its rows
 */
void watch_sort_judge(const struct watch *watch, struct watch_row *row);

/**
 * Sorts rows.
 * @param rows they
 * @param count how many
 * @param sort by what
 */
void watch_sort_order(struct watch_row *rows, size_t count, enum watch_sort sort);

/**
 * Makes the rows again, after what to sort by or `all_rows` changed.
 *
 * @param watch  the process
 * @param error  what went wrong
 * @return       0 or -1
 */
int watch_sort_rows(struct watch *watch, struct pm_error *error);

#endif
