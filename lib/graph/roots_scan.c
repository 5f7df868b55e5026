/* SPDX-License-Identifier: MIT */
#include "graph/roots_scan.h"

/* Number of spans after which the cancellation flag is tested. */
enum { CANCEL_STEP = 4096 };

/** Passes the words of a span to a visitor of roots. */
struct span_scan {
	pm_root_visitor *visit;
	void *context;
	uint32_t root;
};

static int visit_word(void *context, uint32_t target, uint64_t address)
{
	const struct span_scan *scan = context;
	return scan->visit(scan->context, scan->root, target, address);
}

/** Visits the words of a span, without the memory of malloc that may be between them. */
static int scan_span(const struct pm_graph *graph, const struct pm_root_span *span, size_t *next,
                     size_t *last, struct span_scan *scan)
{
	const struct pm_range_list *memory = &graph->memory;
	while (*next < memory->count && memory->items[*next].end <= span->range.start)
		++*next;

	for (size_t i = *next; i < memory->count && memory->items[i].start < span->range.end; i++) {
		struct pm_range part = pm_range_clip(memory->items[i], span->range);
		int result = pm_graph_scan(graph, part, last, visit_word, scan);
		if (result != 0)
			return result;
	}

	return 0;
}

int pm_roots_scan(const struct pm_graph *graph, unsigned level, pm_root_visitor *visit,
                  void *context, struct pm_error *error)
{
	struct span_scan scan = { .visit = visit, .context = context };
	size_t last = 0, next = 0;
	int result = 0;

	for (size_t i = 0; result == 0 && i < graph->register_count; i++) {
		const struct pm_root_register *found = &graph->registers[i];
		if (level == 0 || graph->roots[found->root].level == level)
			result = visit(context, found->root, found->target, found->address);
	}

	for (size_t i = 0; result == 0 && i < graph->span_count; i++) {
		if (i % CANCEL_STEP == 0 && pm_is_cancelled(graph->options.cancel))
			break;
		scan.root = graph->spans[i].root;
		if (level == 0 || graph->roots[scan.root].level == level)
			result = scan_span(graph, &graph->spans[i], &next, &last, &scan);
	}

	return result != 0 ? result : pm_check_cancel(graph->options.cancel, error);
}
