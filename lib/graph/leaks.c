/* SPDX-License-Identifier: MIT */
#include <procmem/leaks.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/wipe.h"
#include "graph/cycles.h"
#include "graph/mark.h"

/** The bitmaps of pm_leaks.marks. */
enum { LOST, DIRECT, CYCLE };

/* Number of nodes, and of chunks whose types are found, after which the cancellation flag is
 * tested. */
enum { CANCEL_STEP = 65536, TYPE_STEP = 1024 };

/** Tests the cancellation flag before each node whose number is a multiple of CANCEL_STEP. */
static int check_node(const struct pm_graph *graph, uint32_t node, struct pm_error *error)
{
	return node % CANCEL_STEP == 0 ? pm_check_cancel(graph->options.cancel, error) : 0;
}

/** Marks everything that the roots reach, and sets the bits of all other chunks in use. */
static int find_lost(struct pm_graph *graph, struct pm_leaks *leaks, struct pm_error *error)
{
	struct pm_mark mark;
	int result = pm_mark_init(&mark, graph, NULL, error);

	if (result == 0)
		result = pm_mark_add_roots(&mark, error);
	if (result == 0)
		result = pm_mark_run(&mark, error);

	for (uint32_t i = 0; result == 0 && i < graph->node_count; i++) {
		result = check_node(graph, i, error);
		if (!pm_graph_in_use(graph, i))
			continue;
		uint64_t size = pm_graph_size(graph, i);
		leaks->in_use_chunks++;
		leaks->in_use_bytes += size;
		if (pm_bit_test(mark.bits, i))
			continue;
		pm_bit_set(leaks->marks[LOST], i);
		leaks->chunks++;
		leaks->bytes += size;
	}

	pm_mark_deinit(&mark);
	return result;
}

/** Counts the lost chunks that are reachable from parts of stacks that are not searched. */
static int count_below_stacks(struct pm_graph *graph, struct pm_leaks *leaks,
                              struct pm_error *error)
{
	struct pm_mark mark;
	if (leaks->chunks == 0 || graph->unused.count == 0)
		return 0;

	int result = pm_mark_init(&mark, graph, leaks->marks[LOST], error);
	for (size_t i = 0; result == 0 && i < graph->unused.count; i++)
		result = pm_mark_add_range(&mark, graph->unused.items[i], error);
	if (result == 0)
		result = pm_mark_run(&mark, error);

	for (uint32_t i = 0; result == 0 && i < graph->node_count; i++) {
		result = check_node(graph, i, error);
		if (!pm_bit_test(mark.bits, i))
			continue;
		leaks->below_stacks++;
		leaks->below_stacks_bytes += pm_graph_size(graph, i);
	}

	pm_mark_deinit(&mark);
	return result;
}

/** The lost chunks to which other lost chunks point. */
struct pointed {
	const uint64_t *lost;
	uint64_t *bits;
	uint32_t from; /* the chunk whose words are scanned */
};

static int note_pointed(void *context, uint32_t target, uint64_t address)
{
	struct pointed *pointed = context;
	(void)address;

	if (target != pointed->from && pm_bit_test(pointed->lost, target))
		pm_bit_set(pointed->bits, target);
	return 0;
}

/** Sets the bits of lost chunks to which no other lost chunk points. */
static int find_direct(struct pm_graph *graph, struct pm_leaks *leaks, struct pm_error *error)
{
	struct pointed pointed = { .lost = leaks->marks[LOST],
		                   .bits = pm_graph_array(graph, 1, error) };
	size_t last = 0;
	int result = pointed.bits ? 0 : -1;

	for (uint32_t i = 0; result == 0 && i < graph->node_count; i++) {
		result = check_node(graph, i, error);
		if (!pm_bit_test(pointed.lost, i))
			continue;
		pointed.from = i;
		pm_graph_scan(graph, pm_graph_bytes(graph, i), &last, note_pointed, &pointed);
	}

	for (uint32_t i = 0; result == 0 && i < graph->node_count; i++)
		if (pm_bit_test(pointed.lost, i) && !pm_bit_test(pointed.bits, i))
			pm_bit_set(leaks->marks[DIRECT], i);

	free(pointed.bits);
	return result == 0 ? pm_check_cancel(graph->options.cancel, error) : -1;
}

/** Chooses a direct chunk in each cycle that is not reachable from a direct chunk. */
static int find_cycles(struct pm_graph *graph, struct pm_leaks *leaks, struct pm_error *error)
{
	const uint64_t *lost = leaks->marks[LOST], *direct = leaks->marks[DIRECT];
	struct pm_mark mark;
	int result = pm_mark_init(&mark, graph, lost, error);

	for (uint32_t i = 0; result == 0 && i < graph->node_count; i++)
		if (pm_bit_test(direct, i))
			pm_mark_add(&mark, i);
	if (result == 0)
		result = pm_mark_run(&mark, error);

	/* From here on, the bits are those of the lost chunks that were not reached. */
	size_t words = (size_t)graph->node_count / 64 + 1;
	for (size_t i = 0; result == 0 && i < words; i++)
		mark.bits[i] = lost[i] & ~mark.bits[i];
	if (result == 0)
		result = pm_cycles_choose(graph, mark.bits, leaks->marks[CYCLE], &leaks->cycles,
		                          error);

	for (size_t i = 0; result == 0 && i < words; i++)
		leaks->marks[DIRECT][i] |= leaks->marks[CYCLE][i];
	pm_mark_deinit(&mark);

	return result;
}

/** The groups while they are made: a hash table of indexes + 1. */
struct grouping {
	struct pm_graph *graph;
	struct pm_chunk_types *types;
	struct pm_leaks *leaks;
	struct pm_mark mark; /* the direct chunks so far, and what is reachable from them */
	size_t capacity;     /* number of allocated groups */
	uint64_t steps;      /* number of chunks whose type was looked for */
	uint32_t slots[4 * PM_LEAK_GROUPS_MAX];
};

/** Finds the group of a size and type, or adds it. The last group takes what does not fit. */
static struct pm_leak_group *find_group(struct grouping *grouping, uint64_t size,
                                        const struct pm_chunk_type *type, struct pm_error *error)
{
	enum { SLOTS = sizeof grouping->slots / sizeof *grouping->slots };
	struct pm_leaks *leaks = grouping->leaks;
	size_t at = (size_t)((size ^ (uintptr_t)type) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;

	for (; grouping->slots[at]; at = (at + 1) % SLOTS) {
		struct pm_leak_group *group = &leaks->groups[grouping->slots[at] - 1];
		if (group->size == size && group->type == type)
			return group;
	}

	if (leaks->cut)
		return &leaks->groups[leaks->count - 1];
	if (pm_array_reserve(&leaks->groups, &grouping->capacity, leaks->count, 1,
	                     sizeof *leaks->groups, error) < 0)
		return NULL;

	leaks->cut = leaks->count == PM_LEAK_GROUPS_MAX - 1;
	struct pm_leak_group *added = &leaks->groups[leaks->count++];
	*added = (struct pm_leak_group){ 0 };
	if (!leaks->cut) {
		added->size = size;
		added->type = type;
	}
	grouping->slots[at] = (uint32_t)leaks->count;

	return added;
}

/** Adds a direct chunk to its group, and what was lost through it. */
static int add_direct(struct grouping *grouping, uint32_t node, struct pm_leak_group *group,
                      struct pm_error *error)
{
	struct pm_mark *mark = &grouping->mark;
	struct pm_leaks *leaks = grouping->leaks;
	uint64_t size = pm_graph_size(grouping->graph, node);
	uint64_t steps = mark->steps, bytes = mark->bytes;

	pm_mark_add(mark, node);
	if (pm_mark_run(mark, error) < 0)
		return -1;

	/* No other direct chunk reaches this one, so it was not marked before. */
	uint64_t indirect = mark->steps - steps - 1, indirect_bytes = mark->bytes - bytes - size;
	bool is_first = group->direct == 0;
	bool is_alike = indirect * group->direct == group->indirect &&
	                indirect_bytes * group->direct == group->indirect_bytes;

	group->alike = is_first || (group->alike && is_alike);
	group->direct++;
	group->direct_bytes += size;
	group->indirect += indirect;
	group->indirect_bytes += indirect_bytes;
	group->cycles += pm_bit_test(leaks->marks[CYCLE], node);
	leaks->direct++;
	leaks->direct_bytes += size;

	return 0;
}

/** Adds a lost chunk to its group. */
static int add_lost(struct grouping *grouping, uint32_t node, struct pm_error *error)
{
	struct pm_leaks *leaks = grouping->leaks;
	uint64_t size = pm_graph_size(grouping->graph, node);
	bool direct = pm_bit_test(leaks->marks[DIRECT], node);
	unsigned char head[PM_CHUNK_HEAD_SIZE] = { 0 };
	size_t head_size = pm_graph_head(grouping->graph, node, head);
	const struct pm_chunk_type *type = NULL;

	if (grouping->steps++ % TYPE_STEP == 0 &&
	    pm_check_cancel(grouping->graph->options.cancel, error) < 0)
		return -1;
	if (grouping->types &&
	    pm_chunk_types_find(grouping->types, head, head_size, &type, error) < 0)
		return -1;
	struct pm_leak_group *group = find_group(grouping, size, type, error);
	if (!group)
		return -1;

	if (group->chunks == 0 || (direct && group->direct == 0)) {
		group->example = pm_graph_bytes(grouping->graph, node).start;
		memcpy(group->head, head, sizeof head);
		group->head_size = head_size;
	}

	group->chunks++;
	group->bytes += size;
	return direct ? add_direct(grouping, node, group, error) : 0;
}

static int by_bytes(const void *a, const void *b)
{
	const struct pm_leak_group *one = a, *other = b;
	if (one->bytes != other->bytes)
		return (one->bytes < other->bytes) - (one->bytes > other->bytes);
	return (one->example > other->example) - (one->example < other->example);
}

static int make_groups(struct pm_graph *graph, struct pm_chunk_types *types, struct pm_leaks *leaks,
                       struct pm_error *error)
{
	struct grouping *grouping = calloc(1, sizeof *grouping);
	if (!grouping)
		return pm_error_out_of_memory(error);

	int result = pm_mark_init(&grouping->mark, graph, leaks->marks[LOST], error);
	grouping->graph = graph;
	grouping->types = types;
	grouping->leaks = leaks;
	for (uint32_t i = 0; result == 0 && i < graph->node_count; i++)
		if (pm_bit_test(leaks->marks[LOST], i))
			result = add_lost(grouping, i, error);

	pm_mark_deinit(&grouping->mark);
	free(grouping);
	/* The group of what did not fit remains the last one. */
	size_t sorted = leaks->count - leaks->cut;
	if (result == 0 && sorted > 0)
		qsort(leaks->groups, sorted, sizeof *leaks->groups, by_bytes);

	return result;
}

int pm_leaks_find(struct pm_graph *graph, struct pm_chunk_types *types, struct pm_leaks *leaks,
                  struct pm_error *error)
{
	struct pm_leaks found = { 0 };
	int result = 0;

	for (int i = LOST; result == 0 && i <= CYCLE; i++) {
		found.marks[i] = pm_graph_array(graph, 1, error);
		result = found.marks[i] ? 0 : -1;
	}

	if (result < 0 || find_lost(graph, &found, error) < 0 ||
	    count_below_stacks(graph, &found, error) < 0 || find_direct(graph, &found, error) < 0 ||
	    find_cycles(graph, &found, error) < 0 || make_groups(graph, types, &found, error) < 0) {
		pm_leaks_deinit(&found);
		return -1;
	}

	*leaks = found;
	return 0;
}

bool pm_leaks_next(const struct pm_graph *graph, const struct pm_leaks *leaks, uint32_t *number,
                   struct pm_lost *lost)
{
	while (*number < graph->node_count && !pm_bit_test(leaks->marks[LOST], *number))
		++*number;
	if (*number >= graph->node_count)
		return false;

	lost->chunk = pm_graph_chunk(graph, *number);
	lost->direct = pm_bit_test(leaks->marks[DIRECT], *number);
	lost->cycle = pm_bit_test(leaks->marks[CYCLE], *number);
	++*number;

	return true;
}

void pm_leaks_deinit(struct pm_leaks *leaks)
{
	for (int i = LOST; i <= CYCLE; i++)
		free(leaks->marks[i]);
	pm_wipe_free(leaks->groups, leaks->count * sizeof *leaks->groups);
	*leaks = (struct pm_leaks){ 0 };
}
