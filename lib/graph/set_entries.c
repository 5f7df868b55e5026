/* SPDX-License-Identifier: MIT */
/*
 * Counts the words that point from a chunk or root with one mask to a chunk with another mask, for
 * each bit of the first mask. A set is reachable from each of its roots, so there is at least one
 * such word for the bit of each root.
 */
#include "graph/set_entries.h"

#include <stdlib.h>

#include "base/array.h"
#include "graph/roots_scan.h"

/* Number of masks, and of nodes after which the cancellation flag is tested. */
enum { MASKS = 1 << PM_SET_BITS, CANCEL_STEP = 65536 };

/** State of the search. */
struct search {
	const struct pm_set_entries *entries;
	struct pm_retained_entry (*found)[PM_SET_BITS]; /* for each set and bit */
	uint8_t *places; /* for each mask, 0 or the index of its set + 1 */
	uint16_t mask;   /* where the word comes from */
	uint16_t memory; /* the bits of `mask` that pass to the level of stacks */
	unsigned level;
};

/** Returns the level of the nearest root of a node. */
static unsigned level_of(const struct search *search, uint32_t node)
{
	const struct pm_set_entries *entries = search->entries;

	return entries->graph->roots[entries->nearest[node] - 1].level;
}

/** Counts a word if it leads into a set. `address` is 0 for a register. */
static int count_word(void *context, uint32_t target, uint64_t address)
{
	struct search *search = context;
	uint16_t mask = search->entries->masks[target];

	if (search->places[mask] == 0 || mask == search->mask)
		return 0;

	uint16_t passed = mask & pm_set_passed(search->mask, search->level,
	                                       level_of(search, target), search->memory);

	for (unsigned bit = 0; bit < PM_SET_BITS; bit++) {
		struct pm_retained_entry *entry = &search->found[search->places[mask] - 1][bit];
		if (passed >> bit & 1 && entry->words++ == 0) {
			entry->from = address;
			entry->entry = pm_graph_bytes(search->entries->graph, target).start;
		}
	}
	return 0;
}

static int count_root_word(void *context, uint32_t root, uint32_t target, uint64_t address)
{
	struct search *search = context;
	const struct pm_root *from = &search->entries->graph->roots[root];

	search->mask = search->entries->bits[root];
	search->memory = from->kind == PM_ROOT_ANONYMOUS ? search->mask : 0;
	search->level = from->level;
	return count_word(search, target, from->kind == PM_ROOT_REGISTER ? 0 : address);
}

/** Counts the words in all chunks that roots reach. */
static int count_words(struct search *search, struct pm_error *error)
{
	const struct pm_set_entries *entries = search->entries;
	const struct pm_graph *graph = entries->graph;
	size_t last = 0;

	for (uint32_t i = 0; i < entries->count; i++) {
		uint32_t node = entries->order[i];
		if (i % CANCEL_STEP == 0 && pm_check_cancel(graph->options.cancel, error) < 0)
			return -1;
		search->mask = entries->masks[node];
		search->memory = entries->memory;
		search->level = level_of(search, node);
		pm_graph_scan(graph, pm_graph_bytes(graph, node), &last, count_word, search);
	}

	return pm_roots_scan(graph, 0, count_root_word, search, error);
}

/** Copies what was found for the roots of a set. */
static void set_entries(struct pm_retained_set *set, const struct pm_retained_entry *found)
{
	for (size_t i = 0; i < set->count; i++)
		set->entries[i] = found[set->roots[i]];
	set->other_entry = found[PM_RETAINED_SET_ROOTS];
}

int pm_set_entries_find(const struct pm_set_entries *entries, struct pm_error *error)
{
	struct search search = { .entries = entries };
	int result = 0;
	if (entries->set_count == 0)
		return 0;

	search.places = calloc(MASKS, sizeof *search.places);
	search.found = calloc(entries->set_count, sizeof *search.found);
	if (!search.places || !search.found)
		result = pm_error_out_of_memory(error);

	for (size_t i = 0; result == 0 && i < entries->set_count; i++)
		search.places[entries->kept[i]] = (uint8_t)(i + 1);
	if (result == 0)
		result = count_words(&search, error);
	for (size_t i = 0; result == 0 && i < entries->set_count; i++)
		set_entries(&entries->sets[i], search.found[i]);

	free(search.places);
	free(search.found);
	return result;
}
