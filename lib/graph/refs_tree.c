/* SPDX-License-Identifier: MIT */
/*
 * The tree is made level by level. One scan of all memory finds the references to all chunks of a
 * level. Each chunk is searched only once: at other places in the tree, nothing is below it.
 */
#include <procmem/refs_tree.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "graph/graph.h"
#include "graph/roots_scan.h"

/* Number of chunks after which the cancellation flag is tested. */
enum { CANCEL_STEP = 65536 };

/** A chunk whose references are searched on this level. */
struct target {
	uint32_t chunk; /* its number */
	uint32_t node;  /* the reference in which it was found */
};

/** State of the search. */
struct search {
	struct pm_graph *graph;
	const struct pm_refs_tree_options *options;
	struct pm_refs_tree *tree;
	size_t capacity;
	uint64_t *seen;         /* bitmap: chunks that are in the tree, or are the range */
	uint64_t *wanted;       /* bitmap: the chunks of `targets` */
	struct target *targets; /* by ascending number */
	size_t target_count;
	size_t target_capacity;
	uint32_t from; /* the chunk whose words are scanned; with `to`, its reference */
	struct pm_error *error;
};

/** Adds a reference to the tree if there is room, and counts it. */
static int add(struct search *search, const struct pm_ref *ref, uint32_t parent)
{
	struct pm_refs_tree *tree = search->tree;
	struct pm_refs_node *above = parent == PM_REFS_NO_NODE ? NULL : &tree->nodes[parent];
	struct pm_refs_node node = { .ref = *ref, .parent = parent };
	uint64_t found = above ? above->count++ : tree->total++;

	if (found >= (above ? search->options->width : search->options->width_first))
		return 0;
	if (tree->count >= PM_REFS_NODES_MAX) {
		tree->cut = true;
		return 0;
	}

	if (above) {
		node.depth = above->depth + 1;
		above->kept++;
	}
	if (pm_array_reserve(&tree->nodes, &search->capacity, tree->count, 1, sizeof *tree->nodes,
	                     search->error) < 0)
		return -1;

	tree->nodes[tree->count++] = node;
	return 0;
}

static int add_first(void *context, const struct pm_ref *ref)
{
	return add(context, ref, PM_REFS_NO_NODE);
}

static int by_chunk(const void *a, const void *b)
{
	const struct target *one = a, *other = b;
	return (one->chunk > other->chunk) - (one->chunk < other->chunk);
}

/** Makes the chunks of a level the targets, except those that were targets before. */
static int choose_targets(struct search *search, size_t first, size_t end)
{
	size_t words = (size_t)search->graph->node_count / 64 + 1;

	memset(search->wanted, 0, words * sizeof *search->wanted);
	search->target_count = 0;
	for (size_t i = first; i < end; i++) {
		struct pm_refs_node *node = &search->tree->nodes[i];
		uint32_t chunk = node->ref.chunk.number;
		if (node->ref.root != PM_REF_CHUNK)
			continue;

		node->again = pm_bit_test(search->seen, chunk);
		node->searched = !node->again;
		if (node->again)
			continue;
		if (pm_array_reserve(&search->targets, &search->target_capacity,
		                     search->target_count, 1, sizeof *search->targets,
		                     search->error) < 0)
			return -1;

		pm_bit_set(search->seen, chunk);
		pm_bit_set(search->wanted, chunk);
		search->targets[search->target_count++] = (struct target){ chunk, (uint32_t)i };
	}

	if (search->target_count > 0)
		qsort(search->targets, search->target_count, sizeof *search->targets, by_chunk);
	return 0;
}

/** Returns the reference in which a chunk that is wanted was found. */
static uint32_t node_of(const struct search *search, uint32_t chunk)
{
	const struct target key = { .chunk = chunk };
	const struct target *found = bsearch(&key, search->targets, search->target_count,
	                                     sizeof key, by_chunk);
	return found->node;
}

/** Sets the value of a reference to what its word contains. */
static void set_value(const struct search *search, struct pm_ref *ref)
{
	const void *bytes = pm_copy_bytes(search->graph->copy, ref->address, sizeof ref->value);
	if (bytes)
		memcpy(&ref->value, bytes, sizeof ref->value);
}

static int note_root(void *context, uint32_t index, uint32_t target, uint64_t address)
{
	struct search *search = context;
	const struct pm_root *root = &search->graph->roots[index];
	struct pm_ref ref = { .root = index };
	if (!pm_bit_test(search->wanted, target))
		return 0;

	if (root->kind == PM_ROOT_REGISTER) {
		ref.offset = 8 * address;
		ref.value = pm_graph_bytes(search->graph, target).start;
	} else {
		ref.address = address;
		ref.offset = address - pm_min(root->start, address);
		set_value(search, &ref);
	}

	return add(search, &ref, node_of(search, target));
}

static int note_word(void *context, uint32_t target, uint64_t address)
{
	struct search *search = context;
	struct pm_ref ref = { .root = PM_REF_CHUNK, .address = address };
	if (target == search->from || !pm_bit_test(search->wanted, target))
		return 0;

	ref.chunk = pm_graph_chunk(search->graph, search->from);
	ref.offset = address - ref.chunk.start;
	set_value(search, &ref);
	return add(search, &ref, node_of(search, target));
}

/** Finds what points to the targets. */
static int find_referrers(struct search *search)
{
	struct pm_graph *graph = search->graph;
	size_t last = 0;

	if (pm_roots_scan(graph, 0, note_root, search, search->error) < 0)
		return -1;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		if (i % CANCEL_STEP == 0 &&
		    pm_check_cancel(graph->options.cancel, search->error) < 0)
			return -1;
		if (!pm_graph_in_use(graph, i))
			continue;
		search->from = i;
		if (pm_graph_scan(graph, pm_graph_bytes(graph, i), &last, note_word, search) < 0)
			return -1;
	}

	return pm_check_cancel(graph->options.cancel, search->error);
}

static int note_pointer(void *context, const struct pm_ref *ref)
{
	struct search *search = context;
	return add(search, ref, search->from);
}

/** Finds what the targets point to. */
static int find_pointers(struct search *search)
{
	for (size_t i = 0; i < search->target_count; i++) {
		struct pm_range bytes = pm_graph_bytes(search->graph, search->targets[i].chunk);
		search->from = search->targets[i].node;
		if (pm_refs_from(search->graph, bytes, note_pointer, search, search->error) < 0)
			return -1;
	}

	return 0;
}

/** Finds all levels. */
static int find_levels(struct search *search, struct pm_range range)
{
	const struct pm_refs_tree_options *options = search->options;
	struct pm_chunk chunk;
	size_t first = 0;
	int result;

	if (pm_heap_index_find(search->graph->index, range.start, &chunk))
		pm_bit_set(search->seen, chunk.number);
	if (options->to)
		result = pm_refs_from(search->graph, range, add_first, search, search->error);
	else
		result = pm_refs_find(search->graph, range, add_first, search, search->error);

	for (unsigned level = 1; result == 0 && level < options->depth; level++) {
		size_t end = search->tree->count;
		result = choose_targets(search, first, end);
		if (result < 0 || search->target_count == 0)
			break;
		result = options->to ? find_pointers(search) : find_referrers(search);
		first = end;
	}

	/* On the last level, nothing was searched. */
	for (size_t i = first; result == 0 && i < search->tree->count; i++) {
		struct pm_refs_node *node = &search->tree->nodes[i];
		if (node->ref.root == PM_REF_CHUNK && !node->searched)
			node->again = pm_bit_test(search->seen, node->ref.chunk.number);
	}

	return result;
}

/** Sorts the references into depth-first order: after each reference come those of its chunk, in
 * the order in which they were found. */
static int order_nodes(struct pm_refs_tree *tree, struct pm_error *error)
{
	struct pm_refs_node *nodes = calloc(tree->count + 1, sizeof *nodes);
	uint32_t *sizes = calloc(tree->count + 1, sizeof *sizes);
	uint32_t *places = calloc(tree->count + 1, sizeof *places);
	uint32_t next = 0;
	if (!nodes || !sizes || !places) {
		free(nodes);
		free(sizes);
		free(places);
		return pm_error_out_of_memory(error);
	}

	/* Number of references in the tree below each one, with itself. */
	for (size_t i = tree->count; i-- > 0;) {
		sizes[i]++;
		if (tree->nodes[i].parent != PM_REFS_NO_NODE)
			sizes[tree->nodes[i].parent] += sizes[i];
	}

	/* The place of a reference replaces its size; then `sizes` is the place of the next
	 * reference below it. */
	for (size_t i = 0; i < tree->count; i++) {
		uint32_t parent = tree->nodes[i].parent, size = sizes[i];
		uint32_t *at = parent == PM_REFS_NO_NODE ? &next : &sizes[parent];
		places[i] = *at;
		*at += size;
		sizes[i] = places[i] + 1;
	}

	for (size_t i = 0; i < tree->count; i++) {
		struct pm_refs_node *node = &nodes[places[i]];
		*node = tree->nodes[i];
		if (node->parent != PM_REFS_NO_NODE)
			node->parent = places[node->parent];
	}

	free(sizes);
	free(places);
	free(tree->nodes);
	tree->nodes = nodes;
	return 0;
}

/** Finds for each reference marked `again` the reference whose chunk is the same and was searched.
 * The references are in their final order. */
static int find_searched(struct pm_refs_tree *tree, struct pm_error *error)
{
	struct target *searched = calloc(tree->count + 1, sizeof *searched);
	size_t count = 0;
	if (!searched)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < tree->count; i++) {
		const struct pm_refs_node *node = &tree->nodes[i];
		if (node->searched)
			searched[count++] = (struct target){ node->ref.chunk.number, (uint32_t)i };
	}
	qsort(searched, count, sizeof *searched, by_chunk);

	for (size_t i = 0; i < tree->count; i++) {
		struct pm_refs_node *node = &tree->nodes[i];
		const struct target key = { .chunk = node->ref.chunk.number };
		node->searched_at = PM_REFS_NO_NODE;
		if (!node->again)
			continue;
		const struct target *found = bsearch(&key, searched, count, sizeof key, by_chunk);
		if (found)
			node->searched_at = found->node;
	}

	free(searched);
	return 0;
}

int pm_refs_tree_find(struct pm_graph *graph, struct pm_range range,
                      const struct pm_refs_tree_options *options, struct pm_refs_tree *tree,
                      struct pm_error *error)
{
	struct pm_refs_tree found = { 0 };
	struct search search = {
		.graph = graph, .options = options, .tree = &found, .error = error
	};
	int result = 0;

	if (options->depth < 1 || options->depth > PM_REFS_DEPTH_MAX)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "the depth must be from 1 to %d",
		                    PM_REFS_DEPTH_MAX);

	search.seen = pm_graph_array(graph, 1, error);
	search.wanted = pm_graph_array(graph, 1, error);
	if (!search.seen || !search.wanted)
		result = -1;
	if (result == 0)
		result = find_levels(&search, range);
	if (result == 0)
		result = order_nodes(&found, error);
	if (result == 0)
		result = find_searched(&found, error);

	free(search.seen);
	free(search.wanted);
	free(search.targets);
	if (result < 0) {
		pm_refs_tree_deinit(&found);
		return -1;
	}

	*tree = found;
	return 0;
}

void pm_refs_tree_deinit(struct pm_refs_tree *tree)
{
	free(tree->nodes);
	*tree = (struct pm_refs_tree){ 0 };
}
