/* SPDX-License-Identifier: MIT */
#include "graph/mark.h"

#include <stdlib.h>

#include "graph/roots_scan.h"

/* Number of nodes after which the cancellation flag is tested. */
enum { CANCEL_STEP = 65536 };

int pm_mark_init(struct pm_mark *mark, const struct pm_graph *graph, const uint64_t *only,
                 struct pm_error *error)
{
	*mark = (struct pm_mark){ .graph = graph, .only = only };
	mark->bits = pm_graph_array(graph, 1, error);
	mark->stack = pm_graph_array(graph, 32, error);
	return mark->bits && mark->stack ? 0 : -1;
}

void pm_mark_add(struct pm_mark *mark, uint32_t node)
{
	if (pm_bit_test(mark->bits, node) || (mark->only && !pm_bit_test(mark->only, node)))
		return;

	/* Each node is on the stack at most once, so the stack has room. */
	pm_bit_set(mark->bits, node);
	mark->stack[mark->count++] = node;
}

static int add_root(void *context, uint32_t root, uint32_t target, uint64_t address)
{
	(void)root, (void)address;
	pm_mark_add(context, target);
	return 0;
}

int pm_mark_add_roots(struct pm_mark *mark, struct pm_error *error)
{
	return pm_roots_scan(mark->graph, 0, add_root, mark, error);
}

static int add_target(void *context, uint32_t target, uint64_t address)
{
	(void)address;
	pm_mark_add(context, target);
	return 0;
}

int pm_mark_add_range(struct pm_mark *mark, struct pm_range range, struct pm_error *error)
{
	size_t last = 0;

	pm_graph_scan(mark->graph, range, &last, add_target, mark);
	return pm_check_cancel(mark->graph->options.cancel, error);
}

int pm_mark_run(struct pm_mark *mark, struct pm_error *error)
{
	const struct pm_graph *graph = mark->graph;
	size_t last = 0;

	while (mark->count > 0) {
		uint32_t node = mark->stack[--mark->count];
		if (++mark->steps % CANCEL_STEP == 0 &&
		    pm_check_cancel(graph->options.cancel, error) < 0)
			return -1;
		mark->bytes += pm_graph_size(graph, node);
		pm_graph_scan(graph, pm_graph_bytes(graph, node), &last, add_target, mark);
	}

	return pm_check_cancel(graph->options.cancel, error);
}

void pm_mark_deinit(struct pm_mark *mark)
{
	free(mark->bits);
	free(mark->stack);
	*mark = (struct pm_mark){ 0 };
}
