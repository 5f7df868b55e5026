/* SPDX-License-Identifier: MIT */
#include "refs/found.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/minmax.h"

int refs_found_place(struct refs_found *found, struct pm_error *error)
{
	uint64_t address = found->address;

	found->range = (struct pm_range){ address, address + 1 };
	found->has_chunk = pm_heap_find(found->graph->heap, address, &found->chunk);
	if (found->has_chunk) {
		found->range = (struct pm_range){ found->chunk.start, found->chunk.end };
		return 0;
	}

	int result = pm_symbols_find(found->graph->contents.symbols, address, &found->symbol,
	                             error);
	if (result == 1 && found->symbol.size > 0) {
		found->range.start = address - found->symbol.offset;
		found->range.end = found->range.start + found->symbol.size;
	} else if (found->to) {
		found->range.start = address & ~UINT64_C(7);
		found->range.end = pm_max(found->range.start + 8, found->range.start);
	}

	return pm_min_int(result, 0);
}

static int collect(void *context, const struct pm_ref *ref)
{
	struct refs_found *found = context;

	found->total++;
	if (found->count == found->max)
		return 0;

	if (found->count == found->capacity) {
		found->capacity = pm_max_size(2 * found->capacity, 64);
		found->refs = alloc_array(found->refs, found->capacity, sizeof *found->refs);
	}
	found->refs[found->count++] = *ref;

	return 0;
}

/** Finds the path from a chunk to a root. */
static int find_path(struct refs_found *found, struct pm_error *error)
{
	if (!found->has_chunk)
		return 0;

	int result = pm_refs_path(found->graph->graph, found->address, &found->path, error);
	found->has_path = result == 1;
	return pm_min_int(result, 0);
}

int refs_found_referrers(struct refs_found *found, struct pm_error *error)
{
	if (pm_refs_find(found->graph->graph, found->range, collect, found, error) < 0)
		return -1;
	return find_path(found, error);
}

int refs_found_tree(struct refs_found *found, const struct pm_refs_tree_options *options,
                    struct pm_error *error)
{
	if (pm_refs_tree_find(found->graph->graph, found->range, options, &found->tree, error) < 0)
		return -1;

	found->total = found->tree.total;
	return found->to ? 0 : find_path(found, error);
}

int refs_found_pointers(struct refs_found *found, struct pm_error *error)
{
	return pm_refs_from(found->graph->graph, found->range, collect, found, error);
}

int refs_found_visit(const struct refs_found *found, pm_ref_visitor *visit, void *context,
                     struct pm_error *error)
{
	struct pm_graph *graph = found->graph->graph;

	if (found->all && found->count < found->total && found->to)
		return pm_refs_from(graph, found->range, visit, context, error);
	if (found->all && found->count < found->total)
		return pm_refs_find(graph, found->range, visit, context, error);

	for (size_t i = 0; i < found->count; i++) {
		int result = visit(context, &found->refs[i]);
		if (result != 0)
			return result;
	}
	return 0;
}

void refs_found_deinit(struct refs_found *found)
{
	free(found->refs);
	pm_refs_tree_deinit(&found->tree);
	if (found->has_path)
		pm_path_deinit(&found->path);
}
