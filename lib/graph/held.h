/* SPDX-License-Identifier: MIT */
/** @file The nodes that a root holds, and the dominators of these nodes. Private. */
#ifndef PM_GRAPH_HELD_H
#define PM_GRAPH_HELD_H

#include "graph/graph.h"

/**
 * The nodes for which a root is the nearest one, or the lost nodes, numbered from 1 on. Number 0 is
 * the root. For lost nodes, number 0 points to the direct ones.
 */
struct pm_held {
	uint32_t count;  /**< number of nodes + 1 */
	uint32_t *nodes; /**< for each number from 1 on, the node; owned */
	/** For each number, the number of its dominator, which is lower; owned */
	uint32_t *dominators;
};

/**
 * Finds the nodes that a root holds, or the lost ones, and their dominators.
 *
 * @param root  index of the root, or PM_RETAINED_LOST
 * @param held  receives the result; release with pm_held_deinit()
 * @return      0, or -1 with PM_ERROR_RESOURCES or PM_ERROR_CANCELLED
 */
int pm_held_find(struct pm_graph *graph, uint32_t root, struct pm_held *held,
                 struct pm_error *error);

/** Releases the memory of a result. */
void pm_held_deinit(struct pm_held *held);

#endif
