/* SPDX-License-Identifier: MIT */
/** @file FILL list_fit.c */
#ifndef CMD_VIEW_LIST_FIT_H
#define CMD_VIEW_LIST_FIT_H

#include "view/list_view.h"

/**
 * Makes the columns from the list's.
 * @param view the view
 * @param drop which ones to leave out; NULL: none
 */
void list_fit_set_columns(struct list_view *view, const bool *drop);

/**
 * Measures, and makes do with the terminal's width: base names instead of paths first, then without
 * the columns that matter least and that nobody asked for, last with words cut.
 *
 * @param view    the view, with its columns
 * @param table   the table that prints it
 * @param widths  gets the widths of the columns that are left
 * @param out     the terminal, or what is none
 */
void list_fit_view(struct list_view *view, struct table *table, size_t *widths,
                   const struct out *out);

#endif
