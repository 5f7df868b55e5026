/* SPDX-License-Identifier: MIT */
/** @file The tree of processes: which process is below which, and the sums of subtrees. */
#ifndef CMD_PS_TREE_H
#define CMD_PS_TREE_H

#include "ps/columns.h"

/**
 * Marks the descendants of listed processes as listed.
 *
 * @param rows   the processes, by ascending PID; `listed` is set for some of them
 * @param count  number of processes
 */
void ps_tree_list_descendants(struct ps_row *rows, size_t count);

/**
 * Computes the levels of processes and the sums of their subtrees. A process whose parent is not
 * among the rows is a root.
 *
 * @param rows   the processes, by ascending PID
 * @param count  number of processes
 */
void ps_tree_sum(struct ps_row *rows, size_t count);

/**
 * Puts the items of a list into the order of the tree: each process is followed by its descendants.
 * Processes with the same parent, and roots, keep their order. ps_tree_sum() must have been called.
 *
 * @param list  the sorted list; its items are `struct ps_row`
 */
void ps_tree_order(struct list *list);

#endif
