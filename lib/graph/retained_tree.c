/* SPDX-License-Identifier: MIT */
/*
 * Each chunk gets a row when the row of its dominator is known. If a row above has the same size
 * and type, the chunk is added to that row. So a list or a tree becomes one row, and a list of two
 * alternating types becomes two.
 */
#include <procmem/retained_tree.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/wipe.h"
#include "graph/held.h"

/* Number of chunks after which the cancellation flag is tested. */
enum { CANCEL_STEP = 1024 };

/* Number of slots for decisions. If most of them are used, further chunks have no row. */
enum { SLOTS = 16 * PM_RETAINED_ROWS_MAX };

/** The row of the chunks of this size and type that the row `above` holds. */
struct decision {
	bool used;
	uint32_t above;
	uint64_t size;
	const struct pm_chunk_type *type;
	uint32_t row;
};

/** State of the search. */
struct search {
	const struct pm_graph *graph;
	struct pm_retained_tree_options options;
	struct pm_held held;
	uint32_t *rows; /* for each number, its row */
	struct pm_retained_tree *tree;
	size_t capacity;
	struct decision *decisions;
	size_t decided;
	uint32_t other; /* the row of chunks without a row of their own, if `tree->cut` */
	uint64_t seed;
	struct pm_error *error;
};

/** Adds a row. */
static int add_row(struct search *search, const struct pm_retained_row *row, uint32_t *index)
{
	struct pm_retained_tree *tree = search->tree;
	if (pm_array_reserve(&tree->rows, &search->capacity, tree->count, 1, sizeof *tree->rows,
	                     search->error) < 0)
		return -1;

	*index = (uint32_t)tree->count;
	tree->rows[tree->count++] = *row;
	return 0;
}

/** Returns the slot of a decision, or the empty slot where it belongs. */
static struct decision *find_decision(const struct search *search, const struct decision *wanted)
{
	uint64_t hash = pm_hash_mix(search->seed ^ wanted->size, PM_HASH_ONE);
	hash = pm_hash_mix(hash ^ (uintptr_t)wanted->type ^ (uint64_t)wanted->above << 40,
	                   PM_HASH_TWO);

	for (size_t at = (size_t)hash % SLOTS;; at = (at + 1) % SLOTS) {
		struct decision *slot = &search->decisions[at];
		if (!slot->used || (slot->above == wanted->above && slot->size == wanted->size &&
		                    slot->type == wanted->type))
			return slot;
	}
}

/** Returns the row above that has a size and a type, or PM_RETAINED_NO_ROW. */
static uint32_t same_above(const struct search *search, uint32_t row, uint64_t size,
                           const struct pm_chunk_type *type)
{
	const struct pm_retained_row *rows = search->tree->rows;
	bool by_type = search->options.by_type;

	while (row != PM_RETAINED_NO_ROW &&
	       (rows[row].type != type || (!by_type && rows[row].size != size)))
		row = rows[row].parent;
	return row;
}

/** Finds or adds the row of chunks without a row of their own. The row is below the root. */
static int find_other(struct search *search, uint32_t *index)
{
	const struct pm_retained_row other = { .parent = PM_RETAINED_NO_ROW, .other = true };

	if (!search->tree->cut && add_row(search, &other, &search->other) < 0)
		return -1;

	search->tree->cut = true;
	*index = search->other;
	return 0;
}

/** Decides which row gets the chunks of a size and type that a row holds. */
static int decide(struct search *search, struct decision *decision)
{
	struct pm_retained_tree *tree = search->tree;
	struct pm_retained_row row = { .parent = decision->above,
		                       .size = decision->size,
		                       .type = decision->type };
	uint32_t above = decision->above;

	decision->row = same_above(search, above, row.size, row.type);
	if (decision->row != PM_RETAINED_NO_ROW)
		return 0;

	row.depth = above == PM_RETAINED_NO_ROW ? 0 : tree->rows[above].depth + 1;
	if (row.depth >= PM_RETAINED_DEPTH_MAX || tree->count >= PM_RETAINED_ROWS_MAX - 1)
		return find_other(search, &decision->row);
	return add_row(search, &row, &decision->row);
}

/** Finds the row of a chunk. */
static int find_row(struct search *search, uint32_t above, uint64_t size,
                    const struct pm_chunk_type *type, uint32_t *row)
{
	struct decision wanted = { .used = true, .above = above, .size = size, .type = type };
	struct decision *decision = find_decision(search, &wanted);

	if (above != PM_RETAINED_NO_ROW && search->tree->rows[above].other) {
		*row = above;
		return 0;
	}
	if (!decision->used && search->decided >= SLOTS / 2)
		return find_other(search, row);

	if (!decision->used) {
		if (decide(search, &wanted) < 0)
			return -1;
		*decision = wanted;
		search->decided++;
	}

	*row = decision->row;
	return 0;
}

/** Adds the chunk with a number to its row. The row of its dominator is known. */
static int add_chunk(struct search *search, uint32_t number)
{
	uint32_t node = search->held.nodes[number], above = PM_RETAINED_NO_ROW;
	uint64_t size = pm_graph_size(search->graph, node);
	/* By type, rows are found without a size. */
	uint64_t key = search->options.by_type ? 0 : size;
	unsigned char head[PM_CHUNK_HEAD_SIZE] = { 0 };
	size_t head_size = pm_graph_head(search->graph, node, head);
	const struct pm_chunk_type *type = NULL;

	if (search->options.types &&
	    pm_chunk_types_find(search->options.types, head, head_size, &type, search->error) < 0)
		return -1;
	if (search->held.dominators[number] != 0)
		above = search->rows[search->held.dominators[number]];
	if (find_row(search, above, key, type, &search->rows[number]) < 0)
		return -1;

	struct pm_retained_row *row = &search->tree->rows[search->rows[number]];
	if (row->chunks++ == 0) {
		row->example = pm_graph_bytes(search->graph, node).start;
		memcpy(row->head, head, sizeof head);
		row->head_size = head_size;
		row->size = row->other ? 0 : size;
	}
	if (row->size != size)
		row->size = 0;
	row->bytes += size;

	return 0;
}

static int add_chunks(struct search *search)
{
	uint32_t count = search->held.count;

	search->rows = calloc(count, sizeof *search->rows);
	search->decisions = calloc(SLOTS, sizeof *search->decisions);
	if (!search->rows || !search->decisions)
		return pm_error_out_of_memory(search->error);

	/* The dominator of a number is lower. */
	search->seed = pm_hash_seed(search);
	for (uint32_t i = 1; i < count; i++) {
		if (i % CANCEL_STEP == 0 &&
		    pm_check_cancel(search->graph->options.cancel, search->error) < 0)
			return -1;
		if (add_chunk(search, i) < 0)
			return -1;
	}

	return 0;
}

/** Adds the figures of each row to the rows above, which have lower indexes. */
static void add_up(struct pm_retained_tree *tree)
{
	for (size_t i = tree->count; i-- > 0;) {
		struct pm_retained_row *row = &tree->rows[i];
		row->held += row->bytes;
		row->held_chunks += row->chunks;
		tree->bytes += row->bytes;
		tree->chunks += row->chunks;
		if (row->parent == PM_RETAINED_NO_ROW)
			continue;
		tree->rows[row->parent].held += row->held;
		tree->rows[row->parent].held_chunks += row->held_chunks;
	}
}

/** A row while the rows are ordered. */
struct place {
	uint64_t held;
	uint32_t row;
	uint32_t first; /* the row below that holds most, or PM_RETAINED_NO_ROW */
	uint32_t next;  /* the next row with the same row above */
	uint32_t at;    /* new index of the row */
};

static int by_held(const void *a, const void *b)
{
	const struct place *one = a, *other = b;
	if (one->held != other->held)
		return (one->held > other->held) - (one->held < other->held);
	return (one->row < other->row) - (one->row > other->row);
}

/** Makes the lists of the rows below each row. Returns the first row below the root. */
static uint32_t link_rows(const struct pm_retained_tree *tree, struct place *sorted,
                          struct place *places)
{
	uint32_t top = PM_RETAINED_NO_ROW;

	for (uint32_t i = 0; i < tree->count; i++) {
		sorted[i] = (struct place){ .held = tree->rows[i].held, .row = i };
		places[i] = (struct place){ .first = PM_RETAINED_NO_ROW };
	}
	if (tree->count > 0)
		qsort(sorted, tree->count, sizeof *sorted, by_held);

	for (size_t i = 0; i < tree->count; i++) {
		uint32_t row = sorted[i].row, above = tree->rows[row].parent;
		uint32_t *head = above == PM_RETAINED_NO_ROW ? &top : &places[above].first;
		places[row].next = *head;
		*head = row;
	}

	return top;
}

/** Moves the rows to the order of the tree. */
static int order_rows(struct pm_retained_tree *tree, struct pm_error *error)
{
	struct pm_retained_row *rows = calloc(tree->count + 1, sizeof *rows);
	struct place *places = calloc(2 * tree->count + 1, sizeof *places);
	if (!rows || !places) {
		free(rows);
		free(places);
		return pm_error_out_of_memory(error);
	}

	uint32_t row = link_rows(tree, places + tree->count, places), count = 0;
	while (row != PM_RETAINED_NO_ROW) {
		uint32_t above = tree->rows[row].parent;
		places[row].at = count;
		rows[count] = tree->rows[row];
		rows[count++].parent = above == PM_RETAINED_NO_ROW ? above : places[above].at;

		uint32_t next = places[row].first;
		while (next == PM_RETAINED_NO_ROW && row != PM_RETAINED_NO_ROW) {
			next = places[row].next;
			row = tree->rows[row].parent;
		}
		row = next;
	}

	pm_wipe_free(tree->rows, tree->count * sizeof *tree->rows);
	free(places);
	tree->rows = rows;
	return 0;
}

int pm_retained_tree_find(struct pm_graph *graph, uint32_t root,
                          const struct pm_retained_tree_options *options,
                          struct pm_retained_tree *tree, struct pm_error *error)
{
	struct pm_retained_tree found = { 0 };
	struct search search = { .graph = graph, .tree = &found, .error = error };

	if (options)
		search.options = *options;
	int result = pm_held_find(graph, root, &search.held, error);

	if (result == 0)
		result = add_chunks(&search);
	pm_held_deinit(&search.held);
	free(search.rows);
	free(search.decisions);

	if (result == 0) {
		add_up(&found);
		result = order_rows(&found, error);
	}
	if (result < 0) {
		pm_retained_tree_deinit(&found);
		return -1;
	}

	*tree = found;
	return 0;
}

void pm_retained_tree_deinit(struct pm_retained_tree *tree)
{
	pm_wipe_free(tree->rows, tree->count * sizeof *tree->rows);
	*tree = (struct pm_retained_tree){ 0 };
}
