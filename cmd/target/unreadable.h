/* SPDX-License-Identifier: MIT */
/** @file Functions for lists of unreadable ranges. If memory runs out, the program exits. */
#ifndef CMD_TARGET_UNREADABLE_H
#define CMD_TARGET_UNREADABLE_H

#include <procmem/unreadable.h>

/**
 * Adds a range to a list. If memory runs out, the program exits with an error message.
 * @param list   the list
 * @param range  the range; its reason is copied
 */
void unreadable_add(struct pm_unreadable_list *list, const struct pm_unreadable *range);

/**
 * Prints the first ranges of a list on stderr, one per line.
 * @param list  the list
 * @param max   maximum number of lines
 */
void unreadable_report(const struct pm_unreadable_list *list, size_t max);

#endif
