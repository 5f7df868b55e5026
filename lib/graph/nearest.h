/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The nearest root of each node: a breadth-first search from all roots of a level, then of the next
 * level. Private.
 */
#ifndef PM_GRAPH_NEAREST_H
#define PM_GRAPH_NEAREST_H

#include "graph/graph.h"

/** Result of the search. */
struct pm_nearest {
	/**
	 * For each node, what points to it on the way from the root. 0 if no root reaches the node;
	 * the number of a node + 1; or, for a root, its index + the number of nodes + 1
	 */
	uint32_t *parents;
	uint32_t *order; /**< the reached nodes in the order of the search */
	uint32_t count;  /**< number of elements of `order` */
};

/**
 * Searches for a node, or for all nodes.
 *
 * @param target   the search ends when this node is reached; UINT32_MAX: when all nodes that roots
 *                 reach were reached
 * @param nearest  receives the result; release with pm_nearest_deinit()
 * @return         0, or -1 with PM_ERROR_RESOURCES or PM_ERROR_CANCELLED
 */
int pm_nearest_find(const struct pm_graph *graph, uint32_t target, struct pm_nearest *nearest,
                    struct pm_error *error);

/** Returns whether a parent is a root. */
static inline bool pm_nearest_is_root(const struct pm_graph *graph, uint32_t parent)
{
	return parent > graph->node_count;
}

/** Returns the root of a parent that is a root. */
static inline uint32_t pm_nearest_root(const struct pm_graph *graph, uint32_t parent)
{
	return parent - graph->node_count - 1;
}

/**
 * Replaces each parent by the index of the nearest root + 1, or by 0 if no root reaches the node.
 * @param nearest  result of a search for all nodes
 */
void pm_nearest_attribute(const struct pm_graph *graph, struct pm_nearest *nearest);

/** Releases the memory of a result. */
void pm_nearest_deinit(struct pm_nearest *nearest);

#endif
