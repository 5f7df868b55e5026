/* SPDX-License-Identifier: MIT */
#include "refs/found.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "refs/outside.h"

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

int refs_found_content(const struct refs_found *found, const struct pm_chunk *chunk,
                       const struct pm_chunk_type **type, struct pm_chunk_text *text,
                       struct pm_error *error)
{
	uint64_t size = pm_min(chunk->end - chunk->start, PM_CHUNK_HEAD_SIZE);
	const void *head = pm_copy_bytes(found->graph->copy, chunk->start, size);
	if (!head)
		size = 0;

	*text = pm_chunk_text_find(head, (size_t)size);
	return pm_chunk_types_find(found->graph->contents.types, head, (size_t)size, type, error);
}

/** References while they are collected. */
struct collecting {
	struct refs_found *found;
	struct pm_error *error;
};

/** Returns whether a reference belongs to a group. */
static bool belongs(const struct refs_group *group, const struct pm_ref *ref,
                    const struct pm_chunk_type *type)
{
	const struct pm_ref *first = &group->ref;

	if (first->root != ref->root)
		return false;
	return ref->root != PM_REF_CHUNK ||
	       (first->offset == ref->offset && first->chunk.size == ref->chunk.size &&
	        group->type == type);
}

/** Returns the group of a reference, or NULL if there is none yet. */
static struct refs_group *find_group(const struct refs_found *found, const struct pm_ref *ref,
                                     const struct pm_chunk_type *type)
{
	for (size_t i = 0; found->grouped && i < found->count; i++) {
		if (belongs(&found->groups[i], ref, type))
			return &found->groups[i];
	}
	return NULL;
}

static int collect(void *context, const struct pm_ref *ref)
{
	struct collecting *collecting = context;
	struct refs_found *found = collecting->found;
	const struct pm_chunk_type *type = NULL;
	struct pm_chunk_text text;

	found->total++;
	if (found->grouped && ref->root == PM_REF_CHUNK &&
	    refs_found_content(found, &ref->chunk, &type, &text, collecting->error) < 0)
		return -1;

	struct refs_group *group = find_group(found, ref, type);
	if (!group && found->count == found->max)
		return 0;
	found->kept++;
	if (group) {
		group->count++;
		return 0;
	}

	if (found->count == found->capacity) {
		found->capacity = pm_max_size(2 * found->capacity, 64);
		found->groups = alloc_array(found->groups, found->capacity, sizeof *found->groups);
	}
	found->groups[found->count++] =
		(struct refs_group){ .ref = *ref, .type = type, .count = 1 };

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
	struct collecting collecting = { .found = found, .error = error };

	if (pm_refs_find(found->graph->graph, found->range, collect, &collecting, error) < 0)
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
	struct collecting collecting = { .found = found, .error = error };

	return refs_outside_find(found->graph, found->range, collect, &collecting, error);
}

/** A visit of references that are searched again. */
struct visiting {
	refs_group_visitor *visit;
	void *context;
};

static int visit_ref(void *context, const struct pm_ref *ref)
{
	const struct visiting *visiting = context;
	const struct refs_group group = { .ref = *ref, .count = 1 };

	return visiting->visit(visiting->context, &group);
}

int refs_found_visit(const struct refs_found *found, refs_group_visitor *visit, void *context,
                     struct pm_error *error)
{
	struct pm_graph *graph = found->graph->graph;
	struct visiting visiting = { .visit = visit, .context = context };

	if (found->all && found->kept < found->total && found->to)
		return refs_outside_find(found->graph, found->range, visit_ref, &visiting, error);
	if (found->all && found->kept < found->total)
		return pm_refs_find(graph, found->range, visit_ref, &visiting, error);

	for (size_t i = 0; i < found->count; i++) {
		int result = visit(context, &found->groups[i]);
		if (result != 0)
			return result;
	}
	return 0;
}

void refs_found_deinit(struct refs_found *found)
{
	free(found->groups);
	pm_refs_tree_deinit(&found->tree);
	if (found->has_path)
		pm_path_deinit(&found->path);
}
