/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Dominators. The dominator of a node N is the last node before N that is on all paths from the
 * root to N. Without it, the root would not reach N. Private.
 */
#ifndef PM_GRAPH_DOMINATORS_H
#define PM_GRAPH_DOMINATORS_H

#include <signal.h>
#include <stdint.h>

#include <procmem/error.h>

/**
 * A graph whose nodes are numbered in the order in which a depth-first search enters them. Node 0
 * is the root, and reaches all nodes.
 */
struct pm_flow {
	uint32_t count; /**< number of nodes */
	/** For each node, the node from which the search entered it; 0 for node 0 */
	const uint32_t *parent;
	const uint32_t *first; /**< for each node, index of its first predecessor; `count` + 1
	                          elements */
	const uint32_t *predecessors; /**< the nodes that point to a node; they may be repeated */
	const volatile sig_atomic_t *cancel; /**< cancellation flag, or NULL */
};

/**
 * Finds the dominators of all nodes. Takes 12 bytes of memory for each node.
 *
 * @param dominators  receives the dominator of each node; 0 for node 0; room for `count` elements
 * @return            0, or -1 with PM_ERROR_RESOURCES or PM_ERROR_CANCELLED
 */
int pm_dominators_find(const struct pm_flow *flow, uint32_t *dominators, struct pm_error *error);

#endif
