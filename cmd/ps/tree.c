/* SPDX-License-Identifier: MIT */
/*
 * The parents of processes are read one after the other, while processes start and end. A PID in
 * the list can therefore belong to a later process than the parent. Such a process has started
 * after its supposed child, and is not taken for the parent.
 */
#include "ps/tree.h"

#include <stdlib.h>

#include "base/alloc.h"

/** Finds the parent of a process among the rows. */
static struct ps_row *find_parent(struct ps_row *rows, size_t count, const struct ps_row *row)
{
	pid_t pid = row->process->ppid;
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].process->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}

	struct ps_row *found = &rows[low];
	if (low == count || found->process->pid != pid || found == row ||
	    found->process->start_ticks > row->process->start_ticks)
		return NULL;
	return found;
}

/**
 * Sets the lists of children, in the order of the items.
 * @return the first root; the others follow by `next_sibling`
 */
static struct ps_row *link_children(struct ps_row **items, size_t count)
{
	struct ps_row *roots = NULL;

	for (size_t i = 0; i < count; i++)
		items[i]->first_child = NULL;

	/* From the last one to the first one, since each is inserted before the others. */
	for (size_t i = count; i-- > 0;) {
		struct ps_row *row = items[i];
		struct ps_row **first = row->parent ? &row->parent->first_child : &roots;

		row->next_sibling = *first;
		*first = row;
	}

	return roots;
}

/** Returns the process after this one in the tree: parents come before their children. */
static struct ps_row *next_of(struct ps_row *row)
{
	if (row->first_child)
		return row->first_child;
	while (row && !row->next_sibling)
		row = row->parent;
	return row ? row->next_sibling : NULL;
}

/**
 * Sorts items in the order of the tree.
 *
 * @param items  the processes, in the order of siblings
 * @param order  receives the processes that can be reached from roots
 * @return       number of these processes
 */
static size_t walk(struct ps_row **items, size_t count, struct ps_row **order)
{
	size_t reached = 0;

	for (struct ps_row *row = link_children(items, count); row; row = next_of(row)) {
		row->depth = row->parent ? row->parent->depth + 1 : 0;
		order[reached++] = row;
	}
	return reached;
}

/**
 * Finds the parents, and the order of the tree. If PIDs were reused within a tick of the clock, the
 * parents can form a loop. The processes of the loop become roots.
 *
 * @param rows   the processes, by ascending PID
 * @param order  receives all processes
 */
static void build(struct ps_row *rows, size_t count, struct ps_row **order)
{
	struct ps_row **items = alloc_array(NULL, count, sizeof(struct ps_row *));

	for (size_t i = 0; i < count; i++) {
		items[i] = &rows[i];
		rows[i].parent = find_parent(rows, count, &rows[i]);
		/* No process has as many ancestors as there are processes. */
		rows[i].depth = count;
	}

	if (walk(items, count, order) < count) {
		for (size_t i = 0; i < count; i++) {
			if (rows[i].depth == count)
				rows[i].parent = NULL;
		}
		walk(items, count, order);
	}

	free(items);
}

void ps_tree_list_descendants(struct ps_row *rows, size_t count)
{
	struct ps_row **order = alloc_array(NULL, count, sizeof(struct ps_row *));

	build(rows, count, order);
	for (size_t i = 0; i < count; i++) {
		if (order[i]->parent && order[i]->parent->listed)
			order[i]->listed = true;
	}
	free(order);
}

void ps_tree_sum(struct ps_row *rows, size_t count)
{
	struct ps_row **order = alloc_array(NULL, count, sizeof(struct ps_row *));

	build(rows, count, order);
	for (size_t i = 0; i < count; i++) {
		rows[i].tree_rss = rows[i].process->rss;
		rows[i].tree_pss = rows[i].rollup.pss;
		rows[i].tree_pss_known = rows[i].rollup_known;
		rows[i].tree_rate = rows[i].rate_known ? rows[i].rate : 0;
		rows[i].tree_rate_known = rows[i].rate_known;
	}

	/* Children come after their parents, so they are complete when they are added. */
	for (size_t i = count; i-- > 0;) {
		struct ps_row *row = order[i], *parent = row->parent;

		if (!parent)
			continue;
		parent->tree_rss += row->tree_rss;
		parent->tree_pss += row->tree_pss;
		parent->tree_pss_known = parent->tree_pss_known && row->tree_pss_known;
		parent->tree_rate = ps_columns_add_rates(parent->tree_rate, row->tree_rate);
		parent->tree_rate_known |= row->tree_rate_known;
	}

	free(order);
}

void ps_tree_order(struct list *list)
{
	struct ps_row **items = alloc_array(NULL, list->count, sizeof(struct ps_row *));
	struct ps_row **order = alloc_array(NULL, list->count, sizeof(struct ps_row *));

	/* The rows belong to the listing; the list only has them as constant items. */
	for (size_t i = 0; i < list->count; i++)
		items[i] = (struct ps_row *)list->items[i];

	size_t count = walk(items, list->count, order);
	for (size_t i = 0; i < count; i++)
		list->items[i] = order[i];

	free(items);
	free(order);
}
