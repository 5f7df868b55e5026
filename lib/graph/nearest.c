/* SPDX-License-Identifier: MIT */
#include "graph/nearest.h"

#include <stdlib.h>

#include "graph/roots_scan.h"

/* Number of nodes after which the cancellation flag is tested. */
enum { CANCEL_STEP = 65536 };

/** State of the search. */
struct search {
	const struct pm_graph *graph;
	struct pm_nearest *nearest;
	uint32_t target;
	uint32_t parent; /* parent of the nodes that are found */
};

/** Adds a node to the queue if it was not reached yet. Returns 1 if it is the target. */
static int reach(struct search *search, uint32_t node, uint32_t parent)
{
	struct pm_nearest *nearest = search->nearest;
	if (nearest->parents[node] != 0)
		return 0;

	nearest->parents[node] = parent;
	nearest->order[nearest->count++] = node;
	return node == search->target;
}

static int reach_from_root(void *context, uint32_t root, uint32_t target, uint64_t address)
{
	struct search *search = context;
	(void)address;
	return reach(search, target, search->graph->node_count + 1 + root);
}

static int reach_from_node(void *context, uint32_t target, uint64_t address)
{
	struct search *search = context;
	(void)address;
	return reach(search, target, search->parent);
}

/**
 * Follows the edges of all nodes in the queue.
 * @param next  index of the first node whose edges were not followed yet
 * @return      0 if the queue is empty; 1 if the target was reached; -1 with PM_ERROR_CANCELLED
 */
static int follow(struct search *search, uint32_t *next, struct pm_error *error)
{
	const struct pm_graph *graph = search->graph;
	size_t last = 0;

	while (*next < search->nearest->count) {
		uint32_t node = search->nearest->order[(*next)++];
		if (*next % CANCEL_STEP == 0 && pm_check_cancel(graph->options.cancel, error) < 0)
			return -1;
		search->parent = node + 1;
		if (pm_graph_scan(graph, pm_graph_bytes(graph, node), &last, reach_from_node,
		                  search) != 0)
			return 1;
	}

	return pm_check_cancel(graph->options.cancel, error);
}

int pm_nearest_find(const struct pm_graph *graph, uint32_t target, struct pm_nearest *nearest,
                    struct pm_error *error)
{
	struct pm_nearest found = { 0 };
	struct search search = { .graph = graph, .nearest = &found, .target = target };
	uint32_t next = 0;
	int result = 0;

	if (graph->root_count >= UINT32_MAX - 1 - graph->node_count)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0,
		                    "there are too many chunks: a graph can have 2^32 - 2 chunks "
		                    "and roots");

	found.parents = pm_graph_array(graph, 32, error);
	found.order = pm_graph_array(graph, 32, error);
	if (!found.parents || !found.order)
		result = -1;

	for (unsigned level = PM_LEVEL_VARIABLES; result == 0 && level <= PM_LEVEL_OTHER; level++) {
		result = pm_roots_scan(graph, level, reach_from_root, &search, error);
		if (result == 0)
			result = follow(&search, &next, error);
	}

	if (result < 0) {
		pm_nearest_deinit(&found);
		return -1;
	}

	*nearest = found;
	return 0;
}

void pm_nearest_attribute(const struct pm_graph *graph, struct pm_nearest *nearest)
{
	uint32_t *parents = nearest->parents;

	/* Parents precede their nodes in the order of the search. */
	for (uint32_t i = 0; i < nearest->count; i++) {
		uint32_t node = nearest->order[i], parent = parents[node];
		if (pm_nearest_is_root(graph, parent))
			parents[node] = pm_nearest_root(graph, parent) + 1;
		else
			parents[node] = parents[parent - 1];
	}
}

void pm_nearest_deinit(struct pm_nearest *nearest)
{
	free(nearest->parents);
	free(nearest->order);
	*nearest = (struct pm_nearest){ 0 };
}
