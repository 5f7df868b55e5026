/* SPDX-License-Identifier: MIT */
/*
 * The algorithm is Semi-NCA (Georgiadis: Linear-Time Algorithms for Dominators and Related
 * Problems, Princeton 2005). It takes nearly linear time. It has no recursion, because a list has
 * as many levels as elements.
 */
#include "graph/dominators.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "reader/cancel.h"

/* Number of nodes after which the cancellation flag is tested. */
enum { CANCEL_STEP = 65536 };

/** State of the search. Nodes are processed by descending number. */
struct search {
	const struct pm_flow *flow;
	uint32_t *ancestors; /* for each node, a node above it in the tree of the search */
	uint32_t *semi;      /* semidominators; a node that was not processed has its own number */
	uint32_t *labels;    /* the node with the lowest semidominator on the path to the ancestor,
	                        without the ancestor */
};

/**
 * Returns the node with the lowest semidominator on the path from a node up to the first node below
 * `processed`, and shortens this path.
 */
static uint32_t lowest_on_path(struct search *search, uint32_t node, uint32_t processed)
{
	uint32_t *ancestors = search->ancestors, *labels = search->labels;
	uint32_t above = node, below = 0;

	if (ancestors[node] < processed)
		return labels[node];

	/* The pointers are reversed on the way up, and set to the ancestor on the way down. */
	while (ancestors[above] >= processed) {
		uint32_t next = ancestors[above];
		ancestors[above] = below;
		below = above;
		above = next;
	}

	uint32_t top = ancestors[above], best = labels[above];
	while (below != 0) {
		uint32_t next = ancestors[below];
		if (search->semi[best] < search->semi[labels[below]])
			labels[below] = best;
		else
			best = labels[below];
		ancestors[below] = top;
		below = next;
	}

	return labels[node];
}

/** Finds the semidominators of all nodes. */
static int find_semidominators(struct search *search, struct pm_error *error)
{
	const struct pm_flow *flow = search->flow;

	for (uint32_t node = flow->count - 1; node > 0; node--) {
		uint32_t lowest = flow->parent[node];
		if (node % CANCEL_STEP == 0 && pm_check_cancel(flow->cancel, error) < 0)
			return -1;

		for (uint32_t i = flow->first[node]; i < flow->first[node + 1]; i++) {
			uint32_t from = lowest_on_path(search, flow->predecessors[i], node + 1);
			if (search->semi[from] < lowest)
				lowest = search->semi[from];
		}
		search->semi[node] = lowest;
	}

	return 0;
}

int pm_dominators_find(const struct pm_flow *flow, uint32_t *dominators, struct pm_error *error)
{
	size_t size = (size_t)flow->count * sizeof(uint32_t);
	struct search search = { .flow = flow,
		                 .ancestors = malloc(size),
		                 .semi = malloc(size),
		                 .labels = malloc(size) };
	int result = 0;
	if (!search.ancestors || !search.semi || !search.labels)
		result = pm_error_out_of_memory(error);

	for (uint32_t i = 0; result == 0 && i < flow->count; i++) {
		search.semi[i] = search.labels[i] = i;
		search.ancestors[i] = dominators[i] = flow->parent[i];
	}
	if (result == 0)
		result = find_semidominators(&search, error);

	/* The dominators of nodes with lower numbers are known. */
	for (uint32_t i = 1; result == 0 && i < flow->count; i++)
		while (dominators[i] > search.semi[i])
			dominators[i] = dominators[dominators[i]];

	free(search.ancestors);
	free(search.semi);
	free(search.labels);
	return result;
}
