/* SPDX-License-Identifier: MIT */
/** @file Marking: which nodes are reachable. Private. */
#ifndef PM_GRAPH_MARK_H
#define PM_GRAPH_MARK_H

#include "graph/graph.h"

/** Marked nodes, and nodes whose edges were not followed yet. */
struct pm_mark {
	const struct pm_graph *graph;
	uint64_t *bits;       /**< a bit for each marked node; owned */
	const uint64_t *only; /**< only these nodes are marked; NULL: all nodes */
	uint32_t *stack;      /**< marked nodes whose edges were not followed yet; owned */
	size_t count;         /**< number of elements of `stack` */
	uint64_t steps;       /**< number of nodes whose edges were followed */
	uint64_t bytes;       /**< sum of the sizes of these nodes */
};

/**
 * Starts with no marked node.
 * @param only  bitmap of the nodes that may be marked, or NULL; must outlive the marks
 * @return      0, or -1 with PM_ERROR_RESOURCES. Release with pm_mark_deinit(), also on failure
 */
int pm_mark_init(struct pm_mark *mark, const struct pm_graph *graph, const uint64_t *only,
                 struct pm_error *error);

/** Marks a node, unless it is marked already or may not be marked. */
void pm_mark_add(struct pm_mark *mark, uint32_t node);

/**
 * Marks the nodes to which roots point.
 * @return 0, or -1 with PM_ERROR_CANCELLED
 */
int pm_mark_add_roots(struct pm_mark *mark, struct pm_error *error);

/**
 * Marks the nodes to which words of a range point.
 * @return 0, or -1 with PM_ERROR_CANCELLED
 */
int pm_mark_add_range(struct pm_mark *mark, struct pm_range range, struct pm_error *error);

/**
 * Marks all nodes that are reachable from marked nodes.
 * @return 0, or -1 with PM_ERROR_CANCELLED
 */
int pm_mark_run(struct pm_mark *mark, struct pm_error *error);

/** Releases the memory of marks. */
void pm_mark_deinit(struct pm_mark *mark);

#endif
