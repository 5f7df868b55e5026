/* SPDX-License-Identifier: MIT */
/*
 * First, a breadth-first search attributes each chunk to its nearest root. Then each of the roots
 * that hold most memory gets a bit, and all other roots share one bit. The bits are passed along
 * all edges between chunks of the same level until nothing changes. The bits of other memory are
 * also passed to chunks that stacks hold.
 */
#include <procmem/retained.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "graph/nearest.h"
#include "graph/roots_scan.h"
#include "graph/set_entries.h"

enum { OTHERS = 1 << PM_RETAINED_SET_ROOTS, MASKS = 1 << 16, CANCEL_STEP = 65536 };

/** The chunks that have a mask. */
struct mask_sum {
	uint64_t chunks;
	uint64_t bytes;
	uint16_t mask;
};

/** State of the search. */
struct retaining {
	struct pm_graph *graph;
	struct pm_retained *result;
	struct pm_nearest nearest; /* after attribute(), `parents` are 0 or the root + 1 */
	uint16_t *bits;            /* for each root, its bit */
	uint16_t memory;           /* the bits of other memory */
	uint16_t *masks;           /* for each node, the bits of the roots that reach it */
	uint32_t *stack;           /* nodes whose mask was changed */
	uint64_t *on_stack;        /* bitmap of these nodes */
	size_t count;              /* number of elements of `stack` */
	size_t last;
	uint64_t steps; /* number of nodes whose edges were followed */
	uint32_t node;  /* the node whose edges are followed */
	struct pm_error *error;
};

/**
 * Replaces the parents by the roots, and adds up what they hold.
 * @param roots  for each root; receives the figures
 */
static void attribute(struct retaining *state, struct pm_retained_root *roots)
{
	const struct pm_graph *graph = state->graph;

	pm_nearest_attribute(graph, &state->nearest);
	for (uint32_t i = 0; i < state->nearest.count; i++) {
		uint32_t node = state->nearest.order[i];
		struct pm_retained_root *root = &roots[state->nearest.parents[node] - 1];
		root->held += pm_graph_size(graph, node);
		root->chunks++;
	}
}

static int by_held(const void *a, const void *b)
{
	const struct pm_retained_root *one = a, *other = b;
	if (one->held != other->held)
		return (one->held < other->held) - (one->held > other->held);
	return (one->root > other->root) - (one->root < other->root);
}

/** Adds up the chunks in use, and those that no root reaches. */
static void count_lost(struct retaining *state)
{
	const struct pm_graph *graph = state->graph;
	struct pm_retained *result = state->result;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		if (!pm_graph_in_use(graph, i))
			continue;
		uint64_t size = pm_graph_size(graph, i);
		result->in_use_chunks++;
		result->in_use_bytes += size;
		if (state->nearest.parents[i] != 0)
			continue;
		result->lost_chunks++;
		result->lost_bytes += size;
	}
}

/** Returns whether a root is other memory that points to chunks. */
static bool is_memory(const struct retaining *state, uint32_t root)
{
	const struct pm_root *found = &state->graph->roots[root];
	return found->kind == PM_ROOT_ANONYMOUS && found->pointers > 0;
}

/** Appends other memory that holds no chunks to the list of roots, as long as there are bits. */
static void list_memory(struct retaining *state, size_t count)
{
	struct pm_retained *result = state->result;

	for (size_t i = result->root_count; i < count; i++) {
		const struct pm_retained_root found = result->roots[i];
		if (result->root_count >= PM_RETAINED_SET_ROOTS)
			return;
		if (!is_memory(state, found.root))
			continue;
		result->roots[i] = result->roots[result->root_count];
		result->roots[result->root_count++] = found;
	}
}

/** Makes the list of roots, and gives bits to the first of them. */
static int list_roots(struct retaining *state)
{
	struct pm_retained *result = state->result;
	size_t count = state->graph->root_count;

	result->roots = calloc(count + 1, sizeof *result->roots);
	state->bits = calloc(count + 1, sizeof *state->bits);
	if (!result->roots || !state->bits)
		return pm_error_out_of_memory(state->error);

	for (size_t i = 0; i < count; i++)
		result->roots[i].root = (uint32_t)i;

	attribute(state, result->roots);
	qsort(result->roots, count, sizeof *result->roots, by_held);
	while (result->root_count < count && result->roots[result->root_count].chunks > 0)
		result->root_count++;
	list_memory(state, count);

	for (size_t i = 0; i < count; i++)
		state->bits[i] = OTHERS;
	for (size_t i = 0; i < result->root_count && i < PM_RETAINED_SET_ROOTS; i++) {
		state->bits[result->roots[i].root] = (uint16_t)(1 << i);
		result->roots[i].only_known = true;
	}
	for (size_t i = 0; i < count; i++)
		state->memory |= is_memory(state, (uint32_t)i) ? state->bits[i] : 0;

	return 0;
}

/** Returns the level of the nearest root of a node. */
static unsigned level_of(const struct retaining *state, uint32_t node)
{
	return state->graph->roots[state->nearest.parents[node] - 1].level;
}

/** Adds bits to the mask of a node. */
static void add_bits(struct retaining *state, uint32_t node, uint16_t bits)
{
	if ((state->masks[node] | bits) == state->masks[node])
		return;

	state->masks[node] |= bits;
	if (pm_bit_test(state->on_stack, node))
		return;
	pm_bit_set(state->on_stack, node);
	state->stack[state->count++] = node;
}

static int pass_bits(void *context, uint32_t target, uint64_t address)
{
	struct retaining *state = context;
	(void)address;

	add_bits(state, target,
	         pm_set_passed(state->masks[state->node], level_of(state, state->node),
	                       level_of(state, target), state->memory));
	return 0;
}

/** Passes bits along the edges until nothing changes. */
static int pass_all(struct retaining *state)
{
	const struct pm_graph *graph = state->graph;

	while (state->count > 0) {
		state->node = state->stack[--state->count];
		pm_bit_clear(state->on_stack, state->node);
		if (++state->steps % CANCEL_STEP == 0 &&
		    pm_check_cancel(graph->options.cancel, state->error) < 0)
			return -1;
		pm_graph_scan(graph, pm_graph_bytes(graph, state->node), &state->last, pass_bits,
		              state);
	}

	return 0;
}

static int start_at_root(void *context, uint32_t root, uint32_t target, uint64_t address)
{
	struct retaining *state = context;
	(void)address;

	uint16_t memory = is_memory(state, root) ? state->bits[root] : 0;
	add_bits(state, target,
	         pm_set_passed(state->bits[root], state->graph->roots[root].level,
	                       level_of(state, target), memory));
	return pass_all(state);
}

static int by_bytes(const void *a, const void *b)
{
	const struct mask_sum *one = a, *other = b;
	if (one->bytes != other->bytes)
		return (one->bytes < other->bytes) - (one->bytes > other->bytes);
	return (one->mask > other->mask) - (one->mask < other->mask);
}

/** Adds up the chunks of each mask. */
static void sum_masks(const struct retaining *state, struct mask_sum *sums)
{
	for (uint32_t i = 0; i < state->nearest.count; i++) {
		uint32_t node = state->nearest.order[i];
		struct mask_sum *sum = &sums[state->masks[node]];
		sum->chunks++;
		sum->bytes += pm_graph_size(state->graph, node);
	}
}

/** Returns the set of a mask. */
static struct pm_retained_set make_set(const struct mask_sum *sum)
{
	struct pm_retained_set set = { .chunks = sum->chunks,
		                       .bytes = sum->bytes,
		                       .others = sum->mask & OTHERS };

	for (uint8_t i = 0; i < PM_RETAINED_SET_ROOTS; i++)
		if (sum->mask >> i & 1)
			set.roots[set.count++] = i;
	return set;
}

/** Makes the list of sets from the sums of all masks. */
static int list_sets(struct retaining *state)
{
	struct pm_retained *result = state->result;
	struct mask_sum *sums = calloc(MASKS, sizeof *sums);
	size_t kept = 0;

	result->sets = calloc(PM_RETAINED_SETS_MAX, sizeof *result->sets);
	if (!sums || !result->sets) {
		free(sums);
		return pm_error_out_of_memory(state->error);
	}

	sum_masks(state, sums);
	for (size_t i = 0; i < result->root_count && i < PM_RETAINED_SET_ROOTS; i++)
		result->roots[i].only = sums[1 << i].bytes;

	for (unsigned mask = 0; mask < MASKS; mask++) {
		sums[mask].mask = (uint16_t)mask;
		if (sums[mask].chunks > 0 && __builtin_popcount(mask) >= 2)
			sums[kept++] = sums[mask];
	}

	qsort(sums, kept, sizeof *sums, by_bytes);
	result->set_count = pm_min_size(kept, PM_RETAINED_SETS_MAX);
	for (size_t i = 0; i < result->set_count; i++)
		result->sets[i] = make_set(&sums[i]);
	free(sums);

	return 0;
}

/** Returns the bits of the roots of a set. */
static uint16_t mask_of(const struct pm_retained_set *set)
{
	unsigned mask = set->others ? OTHERS : 0;
	for (size_t i = 0; i < set->count; i++)
		mask |= 1u << set->roots[i];
	return (uint16_t)mask;
}

/** Finds the words that lead into the sets. */
static int find_entries(const struct retaining *state)
{
	const struct pm_retained *result = state->result;
	uint16_t kept[PM_RETAINED_SETS_MAX] = { 0 };
	const struct pm_set_entries entries = {
		.graph = state->graph,
		.masks = state->masks,
		.bits = state->bits,
		.memory = state->memory,
		.nearest = state->nearest.parents,
		.order = state->nearest.order,
		.count = state->nearest.count,
		.kept = kept,
		.sets = result->sets,
		.set_count = result->set_count,
	};

	for (size_t i = 0; i < result->set_count; i++)
		kept[i] = mask_of(&result->sets[i]);

	return pm_set_entries_find(&entries, state->error);
}

/** Returns how another root than `main` leads to the chunks of a set of two roots. */
static const struct pm_retained_entry *other_entry(const struct pm_retained_set *set)
{
	if (set->others)
		return &set->other_entry;
	return &set->entries[set->roots[0] == set->main ? 1 : 0];
}

/**
 * Returns whether all roots of a set are known to have the same level. If one is a stack and
 * another one is other memory, the stack is nearest because of its level only.
 */
static bool is_one_level(const struct retaining *state, const struct pm_retained_set *set)
{
	const struct pm_root *roots = state->graph->roots;
	const struct pm_retained_root *held = state->result->roots;
	unsigned level = roots[held[set->roots[0]].root].level;

	if (set->others && level >= PM_LEVEL_STACKS)
		return false;
	for (size_t i = 1; i < set->count; i++)
		if (roots[held[set->roots[i]].root].level != level)
			return false;
	return true;
}

/** Sets `nearly_only` of a set, if a root is nearest to more than half of its bytes. */
static void judge_set(const struct retaining *state, struct pm_retained_set *set,
                      const uint64_t nearest[PM_RETAINED_SET_ROOTS])
{
	struct pm_retained *result = state->result;
	bool found = false;

	if (set->count + set->others != 2 || !is_one_level(state, set))
		return;
	for (size_t i = 0; i < set->count; i++) {
		if (nearest[i] <= set->bytes / 2)
			continue;
		set->main = set->roots[i];
		found = true;
	}

	if (!found || other_entry(set)->words > PM_RETAINED_WORDS_MAX)
		return;
	set->nearly_only = true;
	result->roots[set->main].nearly_only += set->bytes;
	result->roots[set->main].but_words += other_entry(set)->words;
}

/** Finds the sets that only one root would reach without a few words. */
static int judge_sets(const struct retaining *state)
{
	struct pm_retained *result = state->result;
	uint64_t(*nearest)[PM_RETAINED_SET_ROOTS] = calloc(PM_RETAINED_SETS_MAX, sizeof *nearest);
	uint8_t *places = calloc(MASKS, 1);
	if (!nearest || !places) {
		free(nearest);
		free(places);
		return pm_error_out_of_memory(state->error);
	}

	for (size_t i = 0; i < result->set_count; i++)
		places[mask_of(&result->sets[i])] = (uint8_t)(i + 1);
	for (uint32_t i = 0; i < state->nearest.count; i++) {
		uint32_t node = state->nearest.order[i];
		uint8_t place = places[state->masks[node]];
		uint16_t bit = state->bits[state->nearest.parents[node] - 1];
		for (size_t k = 0; place > 0 && k < result->sets[place - 1].count; k++)
			if (bit == 1 << result->sets[place - 1].roots[k])
				nearest[place - 1][k] += pm_graph_size(state->graph, node);
	}

	for (size_t i = 0; i < result->root_count; i++)
		result->roots[i].nearly_only = result->roots[i].only;
	for (size_t i = 0; i < result->set_count; i++)
		judge_set(state, &result->sets[i], nearest[i]);
	free(nearest);
	free(places);

	return 0;
}

/** Finds the masks of all nodes. */
static int find_masks(struct retaining *state)
{
	const struct pm_graph *graph = state->graph;
	state->masks = pm_graph_array(graph, 16, state->error);
	state->stack = pm_graph_array(graph, 32, state->error);
	state->on_stack = pm_graph_array(graph, 1, state->error);

	if (!state->masks || !state->stack || !state->on_stack)
		return -1;
	return pm_roots_scan(graph, 0, start_at_root, state, state->error);
}

int pm_retained_find(struct pm_graph *graph, struct pm_retained *retained, struct pm_error *error)
{
	struct pm_retained found = { 0 };
	struct retaining state = { .graph = graph, .result = &found, .error = error };
	int result = pm_nearest_find(graph, UINT32_MAX, &state.nearest, error);

	if (result == 0)
		count_lost(&state);
	if (result == 0)
		result = list_roots(&state);
	if (result == 0)
		result = find_masks(&state);
	if (result == 0)
		result = list_sets(&state);
	if (result == 0)
		result = find_entries(&state);
	if (result == 0)
		result = judge_sets(&state);

	pm_nearest_deinit(&state.nearest);
	free(state.bits);
	free(state.masks);
	free(state.stack);
	free(state.on_stack);
	if (result < 0) {
		pm_retained_deinit(&found);
		return -1;
	}

	*retained = found;
	return 0;
}

void pm_retained_deinit(struct pm_retained *retained)
{
	free(retained->roots);
	free(retained->sets);
	*retained = (struct pm_retained){ 0 };
}
