/* SPDX-License-Identifier: MIT */
/*
 * First, a breadth-first search attributes each node to its nearest root. A depth-first search in
 * the nodes of one root, or in the lost nodes, numbers them. Then their memory is scanned twice to
 * make the lists of predecessors, which are in one array. The first scan counts the pointers, which
 * determines where each list starts. The second scan fills the lists.
 */
#include "graph/held.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/leaks.h>
#include <procmem/number.h>
#include <procmem/retained_tree.h>

#include "base/array.h"
#include "graph/dominators.h"
#include "graph/nearest.h"
#include "graph/roots_scan.h"

/* Number of steps after which the cancellation flag is tested. */
enum { CANCEL_STEP = 65536 };

/* Values of search.numbers for nodes without a number. */
enum { OTHER = 0 };
static const uint32_t unvisited = UINT32_MAX;

/** A node whose edges are being followed. */
struct frame {
	uint32_t node;
	uint64_t next; /* address of the first word that was not followed yet */
};

/** State of the search. */
struct search {
	const struct pm_graph *graph;
	uint32_t root;
	uint32_t *numbers; /* for each node of the graph: its number, OTHER or `unvisited` */
	uint32_t *nodes;
	uint32_t *parents; /* for each number, the number from which it was entered */
	uint32_t count;
	uint32_t *first;        /* for each number, index of its first predecessor */
	uint32_t *predecessors; /* numbers */
	uint64_t *direct;       /* bitmap: numbers to which the root points */
	uint64_t pointers;      /* number of pointers, with those of the root */
	uint32_t from;          /* the number whose words are scanned */
	struct frame *frames;
	size_t depth;
	size_t capacity;
	size_t last;
	uint64_t steps;
	uint32_t found; /* an edge to a node that was not visited */
	uint64_t address;
	struct pm_error *error;
};

/** Tests the cancellation flag from time to time. */
static int check(struct search *search)
{
	if (search->steps++ % CANCEL_STEP != 0)
		return 0;
	return pm_check_cancel(search->graph->options.cancel, search->error);
}

/** Allocates the arrays with an element for each number.
 * @param count  number of nodes + 1
 */
static int make_arrays(struct search *search, size_t count)
{
	search->nodes = calloc(count, sizeof *search->nodes);
	search->parents = calloc(count, sizeof *search->parents);
	search->direct = calloc(count / 64 + 1, sizeof *search->direct);
	search->count = 1;
	if (!search->nodes || !search->parents || !search->direct)
		return pm_error_out_of_memory(search->error);

	return 0;
}

/** Finds the nodes of the root: they become `unvisited`, and all others become OTHER. */
static int find_nodes(struct search *search)
{
	const struct pm_graph *graph = search->graph;
	struct pm_nearest nearest;

	if (pm_nearest_find(graph, UINT32_MAX, &nearest, search->error) < 0)
		return -1;

	pm_nearest_attribute(graph, &nearest);
	search->numbers = nearest.parents;
	nearest.parents = NULL;
	pm_nearest_deinit(&nearest);

	size_t count = 1;
	for (uint32_t i = 0; i < graph->node_count; i++) {
		bool own = search->numbers[i] == search->root + 1;
		search->numbers[i] = own ? unvisited : OTHER;
		count += own;
	}

	return make_arrays(search, count);
}

static int find_unvisited(void *context, uint32_t target, uint64_t address)
{
	struct search *search = context;
	if (search->numbers[target] != unvisited)
		return 0;

	search->found = target;
	search->address = address;
	return 1;
}

/** Gives a node the next number. */
static int enter(struct search *search, uint32_t node)
{
	if (pm_array_reserve(&search->frames, &search->capacity, search->depth, 1,
	                     sizeof *search->frames, search->error) < 0)
		return -1;

	uint32_t above = search->depth > 0 ? search->frames[search->depth - 1].node : node;
	search->parents[search->count] = search->depth > 0 ? search->numbers[above] : 0;
	search->nodes[search->count] = node;
	search->numbers[node] = search->count++;
	search->frames[search->depth++] =
		(struct frame){ node, pm_graph_bytes(search->graph, node).start };

	return 0;
}

/** Numbers a node to which the root points, and all nodes that are reachable from it. */
static int visit_from(void *context, uint32_t root, uint32_t target, uint64_t address)
{
	struct search *search = context;
	(void)address;

	if (root != search->root || search->numbers[target] == OTHER)
		return 0;
	if (search->numbers[target] == unvisited && enter(search, target) < 0)
		return -1;
	pm_bit_set(search->direct, search->numbers[target]);

	while (search->depth > 0) {
		struct frame *frame = &search->frames[search->depth - 1];
		struct pm_range rest = { frame->next,
			                 pm_graph_bytes(search->graph, frame->node).end };
		if (check(search) < 0)
			return -1;

		if (pm_graph_scan(search->graph, rest, &search->last, find_unvisited, search) ==
		    0) {
			search->depth--;
			continue;
		}
		frame->next = search->address + 8;
		if (enter(search, search->found) < 0)
			return -1;
	}

	return 0;
}

/** Numbers the lost nodes: first the direct ones, each with what is reachable from it. */
static int visit_lost(struct search *search, struct pm_graph *graph)
{
	struct pm_leaks leaks;
	struct pm_lost lost;
	uint32_t next = 0;

	if (pm_leaks_find(graph, NULL, &leaks, search->error) < 0)
		return -1;

	search->numbers = pm_graph_array(graph, 32, search->error);
	int result = search->numbers ? 0 : -1;
	while (result == 0 && pm_leaks_next(graph, &leaks, &next, &lost))
		search->numbers[next - 1] = unvisited;
	if (result == 0)
		result = make_arrays(search, (size_t)leaks.chunks + 1);

	/* Each lost chunk is reachable from a direct one. */
	next = 0;
	while (result == 0 && pm_leaks_next(graph, &leaks, &next, &lost))
		if (lost.direct)
			result = visit_from(search, search->root, next - 1, 0);

	pm_leaks_deinit(&leaks);
	return result;
}

/** Numbers the nodes that the root holds. */
static int visit_held(struct search *search)
{
	const struct pm_graph *graph = search->graph;
	if (find_nodes(search) < 0)
		return -1;

	return pm_roots_scan(graph, graph->roots[search->root].level, visit_from, search,
	                     search->error);
}

/** Counts a pointer to number N in first[N + 2]: see make_lists(). */
static int count_pointer(void *context, uint32_t target, uint64_t address)
{
	struct search *search = context;
	uint32_t number = search->numbers[target];
	(void)address;

	search->pointers += number != OTHER;
	if (number != OTHER)
		search->first[number + 2]++;
	return 0;
}

static int store_pointer(void *context, uint32_t target, uint64_t address)
{
	struct search *search = context;
	uint32_t number = search->numbers[target];
	(void)address;

	if (number != OTHER)
		search->predecessors[search->first[number + 1]++] = search->from;
	return 0;
}

/** Passes all pointers of numbered nodes to a visitor, then those of the root. */
static inline __attribute__((always_inline)) int scan_all(struct search *search,
                                                          pm_edge_visitor *visit)
{
	const struct pm_graph *graph = search->graph;

	for (uint32_t i = 1; i < search->count; i++) {
		search->from = i;
		if (check(search) < 0)
			return -1;
		pm_graph_scan(graph, pm_graph_bytes(graph, search->nodes[i]), &search->last, visit,
		              search);
	}

	search->from = 0;
	for (uint32_t i = 1; i < search->count; i++)
		if (pm_bit_test(search->direct, i))
			visit(search, search->nodes[i], 0);

	return pm_check_cancel(graph->options.cancel, search->error);
}

/** Fails if there are too many pointers for the indexes of `predecessors`, or for the memory that
 * the caller allows. */
static int check_pointers(const struct search *search)
{
	uint64_t chunks = (uint64_t)search->graph->node_count * PM_GRAPH_CHUNK_BYTES;
	uint64_t needed = chunks + search->pointers * sizeof *search->predecessors;
	uint64_t max = search->graph->options.memory_max;
	char texts[2][PM_SIZE_TEXT_SIZE];

	if (search->pointers >= UINT32_MAX)
		return pm_error_set(search->error, PM_ERROR_RESOURCES, 0,
		                    "the chunks below the root contain too many pointers: %" PRIu64
		                    ", and the limit is %" PRIu32,
		                    search->pointers, UINT32_MAX - 1);
	if (max == 0 || needed <= max)
		return 0;

	pm_format_size(needed, texts[0]);
	pm_format_size(max, texts[1]);
	return pm_error_set(search->error, PM_ERROR_RESOURCES, 0,
	                    "not enough memory: the chunks and the pointers between them need %s, "
	                    "and the limit is %s; free memory, or raise the limit of the cgroup",
	                    texts[0], texts[1]);
}

/**
 * Makes the lists of predecessors. The first scan sets first[N + 2] to the number of predecessors
 * of N. The sums of these numbers make first[N + 1] the start of the list of N. The second scan
 * moves first[N + 1] to the end of this list, which is the start of the list of N + 1.
 */
static int make_lists(struct search *search)
{
	search->first = calloc((size_t)search->count + 2, sizeof *search->first);
	if (!search->first)
		return pm_error_out_of_memory(search->error);
	if (scan_all(search, count_pointer) < 0 || check_pointers(search) < 0)
		return -1;

	for (uint32_t i = 2; i < search->count + 2; i++)
		search->first[i] += search->first[i - 1];
	search->predecessors = calloc((size_t)search->pointers + 1, sizeof *search->predecessors);
	if (!search->predecessors)
		return pm_error_out_of_memory(search->error);

	return scan_all(search, store_pointer);
}

/** Finds the dominators of the numbered nodes. */
static int find_dominators(struct search *search, struct pm_held *held)
{
	const struct pm_flow flow = { .count = search->count,
		                      .parent = search->parents,
		                      .first = search->first,
		                      .predecessors = search->predecessors,
		                      .cancel = search->graph->options.cancel };

	held->count = search->count;
	held->dominators = calloc(search->count, sizeof *held->dominators);
	if (!held->dominators)
		return pm_error_out_of_memory(search->error);

	return pm_dominators_find(&flow, held->dominators, search->error);
}

int pm_held_find(struct pm_graph *graph, uint32_t root, struct pm_held *held,
                 struct pm_error *error)
{
	struct search search = { .graph = graph, .root = root, .error = error };
	struct pm_held found = { 0 };
	bool is_lost = root == PM_RETAINED_LOST;
	int result = is_lost ? visit_lost(&search, graph) : visit_held(&search);

	free(search.frames);

	if (result == 0)
		result = make_lists(&search);
	free(search.numbers);
	if (result == 0)
		result = find_dominators(&search, &found);

	found.nodes = search.nodes;
	free(search.parents);
	free(search.direct);
	free(search.first);
	free(search.predecessors);
	if (result < 0) {
		pm_held_deinit(&found);
		return -1;
	}

	*held = found;
	return 0;
}

void pm_held_deinit(struct pm_held *held)
{
	free(held->nodes);
	free(held->dominators);
	*held = (struct pm_held){ 0 };
}
