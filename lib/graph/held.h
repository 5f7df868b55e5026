/* SPDX-License-Identifier: MIT */
/** @file The nodes that a root holds, and the dominators of these nodes. Private. */
#ifndef PM_GRAPH_HELD_H
#define PM_GRAPH_HELD_H

#include "graph/graph.h"

/** The nodes for which a root is the nearest one, numbered from 1 on. Number 0 is the root. */
struct pm_held {
	uint32_t count;  /**< number of nodes + 1 */
	uint32_t *nodes; /**< for each number from 1 on, the node; owned */
	uint32_t *
		dominators; /**< for each number, the number of its dominator, which is lower; owned
	                     */
};

/**
 * Finds the nodes that a root holds, and their dominators.
 *
 * @param root  index of the root
 * @param held  receives the result; release with pm_held_deinit()
 * @return      0, or -1 with PM_ERROR_RESOURCES or PM_ERROR_CANCELLED
 */
int pm_held_find(const struct pm_graph *graph, uint32_t root, struct pm_held *held,
                 struct pm_error *error);

/** Releases the memory of a result. */
void pm_held_deinit(struct pm_held *held);

#endif
