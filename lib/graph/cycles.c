/* SPDX-License-Identifier: MIT */
/*
 * A depth-first search visits all nodes of the set. Then nodes are chosen (Kosaraju's algorithm):
 * of the nodes that no chosen node reaches, the one whose visit ended last is chosen next. It is in
 * a cycle to which no other of these nodes points. The search has its own stack, because lists can
 * have millions of nodes.
 */
#include "graph/cycles.h"

#include <stdlib.h>

#include "base/array.h"
#include "graph/mark.h"

/* Number of edges after which the cancellation flag is tested. */
enum { CANCEL_STEP = 65536 };

/** A node whose edges are being followed. */
struct frame {
	uint32_t node;
	uint64_t next; /* address of the first word that was not followed yet */
};

/** State of the search. */
struct search {
	const struct pm_graph *graph;
	const uint64_t *set;
	uint64_t *visited;
	struct frame *frames;
	size_t depth;
	size_t capacity;
	uint32_t *order; /* nodes in the order in which their visits ended */
	size_t count;
	size_t order_capacity;
	size_t last;
	uint64_t steps; /* number of edges that were followed, and of nodes that were left */
	uint32_t found; /* an edge to a node that was not visited */
	uint64_t address;
};

static int find_unvisited(void *context, uint32_t target, uint64_t address)
{
	struct search *search = context;
	if (!pm_bit_test(search->set, target) || pm_bit_test(search->visited, target))
		return 0;

	search->found = target;
	search->address = address;
	return 1;
}

static int enter(struct search *search, uint32_t node, struct pm_error *error)
{
	if (pm_array_reserve(&search->frames, &search->capacity, search->depth, 1,
	                     sizeof *search->frames, error) < 0)
		return -1;

	pm_bit_set(search->visited, node);
	search->frames[search->depth++] =
		(struct frame){ node, pm_graph_bytes(search->graph, node).start };
	return 0;
}

static int leave(struct search *search, struct pm_error *error)
{
	if (pm_array_reserve(&search->order, &search->order_capacity, search->count, 1,
	                     sizeof *search->order, error) < 0)
		return -1;

	search->order[search->count++] = search->frames[--search->depth].node;
	return 0;
}

/** Visits all nodes that are reachable from a node. */
static int visit_from(struct search *search, uint32_t node, struct pm_error *error)
{
	if (enter(search, node, error) < 0)
		return -1;

	while (search->depth > 0) {
		if (search->steps++ % CANCEL_STEP == 0 &&
		    pm_check_cancel(search->graph->options.cancel, error) < 0)
			return -1;

		struct frame *frame = &search->frames[search->depth - 1];
		struct pm_range rest = { frame->next,
			                 pm_graph_bytes(search->graph, frame->node).end };
		int found = pm_graph_scan(search->graph, rest, &search->last, find_unvisited,
		                          search);

		frame->next = search->address + 8;
		int result = found ? enter(search, search->found, error) : leave(search, error);
		if (result < 0)
			return -1;
	}

	return 0;
}

/** Chooses nodes in the reverse order in which their visits ended. */
static int choose(struct search *search, uint64_t *chosen, uint64_t *count, struct pm_error *error)
{
	struct pm_mark mark;
	int result = pm_mark_init(&mark, search->graph, search->set, error);

	*count = 0;
	for (size_t i = search->count; result == 0 && i-- > 0;) {
		uint32_t node = search->order[i];
		if (pm_bit_test(mark.bits, node))
			continue;
		pm_bit_set(chosen, node);
		++*count;
		pm_mark_add(&mark, node);
		result = pm_mark_run(&mark, error);
	}

	pm_mark_deinit(&mark);
	return result;
}

int pm_cycles_choose(const struct pm_graph *graph, const uint64_t *set, uint64_t *chosen,
                     uint64_t *count, struct pm_error *error)
{
	struct search search = { .graph = graph, .set = set };
	search.visited = pm_graph_array(graph, 1, error);
	int result = search.visited ? 0 : -1;

	for (uint32_t i = 0; result == 0 && i < graph->node_count; i++)
		if (pm_bit_test(set, i) && !pm_bit_test(search.visited, i))
			result = visit_from(&search, i, error);

	if (result == 0)
		result = choose(&search, chosen, count, error);
	free(search.visited);
	free(search.frames);
	free(search.order);

	return result;
}
