/* SPDX-License-Identifier: MIT */
/* Dominators of random graphs, compared with their definition. */
#include "graph/dominators.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES_MAX = 40, GRAPHS = 3000, LONG = 1000000 };

/** A graph, before its nodes are numbered. */
struct graph {
	uint32_t count;
	bool edges[NODES_MAX][NODES_MAX];
};

/** The graph that is passed to the library. */
struct numbered {
	uint32_t count;
	uint32_t number[NODES_MAX]; /* for each node of the graph, UINT32_MAX if not reachable */
	uint32_t node[NODES_MAX];
	uint32_t parent[NODES_MAX];
	uint32_t first[NODES_MAX + 1];
	uint32_t predecessors[NODES_MAX * NODES_MAX];
};

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 33);
}

static void make(struct graph *graph, uint64_t *state)
{
	*graph = (struct graph){ .count = 1 + next_random(state) % NODES_MAX };
	uint32_t edges = next_random(state) % (3 * graph->count);

	for (uint32_t i = 0; i < edges; i++)
		graph->edges[next_random(state) % graph->count][next_random(state) % graph->count] =
			true;
}

static void enter(const struct graph *graph, struct numbered *numbered, uint32_t node,
                  uint32_t parent)
{
	uint32_t number = numbered->count++;
	numbered->number[node] = number;
	numbered->node[number] = node;
	numbered->parent[number] = parent;

	for (uint32_t i = 0; i < graph->count; i++)
		if (graph->edges[node][i] && numbered->number[i] == UINT32_MAX)
			enter(graph, numbered, i, number);
}

static void number_nodes(const struct graph *graph, struct numbered *numbered)
{
	uint32_t count = 0;
	*numbered = (struct numbered){ 0 };
	memset(numbered->number, 0xff, sizeof numbered->number);
	enter(graph, numbered, 0, 0);

	for (uint32_t i = 0; i < numbered->count; i++) {
		numbered->first[i] = count;
		for (uint32_t from = 0; from < graph->count; from++)
			if (graph->edges[from][numbered->node[i]] &&
			    numbered->number[from] != UINT32_MAX)
				numbered->predecessors[count++] = numbered->number[from];
	}
	numbered->first[numbered->count] = count;
}

/** Marks what a node reaches if another node is removed. */
static void reach(const struct graph *graph, uint32_t node, uint32_t without, bool *reached)
{
	if (node == without || reached[node])
		return;

	reached[node] = true;
	for (uint32_t i = 0; i < graph->count; i++)
		if (graph->edges[node][i])
			reach(graph, i, without, reached);
}

/** Expects that the dominators of a node are the chain of dominators, and no other nodes. */
static void expect_chains(const struct graph *graph, const struct numbered *numbered,
                          const uint32_t *dominators)
{
	for (uint32_t without = 0; without < numbered->count; without++) {
		bool reached[NODES_MAX] = { false };
		reach(graph, 0, numbered->node[without], reached);

		for (uint32_t i = 0; i < numbered->count; i++) {
			uint32_t above = i;
			while (above != 0 && above != without)
				above = dominators[above];
			assert_int_equal(above == without, !reached[numbered->node[i]]);
		}
	}
}

static void dominators_are_on_all_paths(void **state)
{
	(void)state;
	uint64_t random = 1;

	for (int i = 0; i < GRAPHS; i++) {
		static struct graph graph;
		static struct numbered numbered;
		uint32_t dominators[NODES_MAX];
		struct pm_error error;
		make(&graph, &random);
		number_nodes(&graph, &numbered);

		const struct pm_flow flow = { .count = numbered.count,
			                      .parent = numbered.parent,
			                      .first = numbered.first,
			                      .predecessors = numbered.predecessors };
		assert_int_equal(pm_dominators_find(&flow, dominators, &error), 0);
		assert_int_equal(dominators[0], 0);
		expect_chains(&graph, &numbered, dominators);
	}
}

/** A list whose elements point to the next one and back to the first one. */
static void a_long_list_needs_no_stack(void **state)
{
	(void)state;
	static uint32_t parent[LONG], first[LONG + 1], predecessors[2 * LONG], dominators[LONG];
	uint32_t count = 0;
	struct pm_error error;
	volatile sig_atomic_t cancel = 0;
	struct pm_flow flow = { .count = LONG,
		                .parent = parent,
		                .first = first,
		                .predecessors = predecessors,
		                .cancel = &cancel };

	for (uint32_t i = 0; i < LONG; i++) {
		first[i] = count;
		parent[i] = i > 0 ? i - 1 : 0;
		if (i > 0)
			predecessors[count++] = i - 1;
		for (uint32_t k = 2; i == 1 && k < LONG; k++)
			predecessors[count++] = k;
	}
	first[LONG] = count;

	assert_int_equal(pm_dominators_find(&flow, dominators, &error), 0);
	for (uint32_t i = 1; i < LONG; i++)
		assert_int_equal(dominators[i], i - 1);

	cancel = 1;
	assert_int_equal(pm_dominators_find(&flow, dominators, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dominators_are_on_all_paths),
		cmocka_unit_test(a_long_list_needs_no_stack),
	};

	return cmocka_run_group_tests_name("dominators", tests, NULL, NULL);
}
