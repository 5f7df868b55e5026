/* SPDX-License-Identifier: MIT */
/*
 * Matches regions whose addresses do not overlap: by malloc arena, by thread, by file and offset,
 * and by resident size for anonymous memory that was moved.
 */
#include "growth/identity.h"

#include <stdlib.h>

/*
 * Maximum number of pairs of unmatched regions that are examined for moves. With more pairs, the
 * search is omitted, because it would take too long.
 */
static const size_t max_move_pairs = 1000000;

/*
 * Minimum resident size of a region that is examined for moves, in bytes. A move is recognised by
 * the resident size, and two small regions often have the same resident size by chance.
 */
static const uint64_t min_moved = UINT64_C(64) * 1024;

/** Regions to compare by one property. `nodes` are their nodes in `sets`. */
struct candidates {
	struct pm_sets *sets;
	size_t *nodes;
	size_t count;
};

/** Compares two regions by a property, like strcmp(3). */
typedef int comparison(const struct pm_region *one, const struct pm_region *other);

static int compare_numbers(uint64_t one, uint64_t other)
{
	return (one > other) - (one < other);
}

static int compare_arenas(const struct pm_region *one, const struct pm_region *other)
{
	return compare_numbers(one->arena, other->arena);
}

static int compare_threads(const struct pm_region *one, const struct pm_region *other)
{
	return compare_numbers((uint64_t)one->thread, (uint64_t)other->thread);
}

static int compare_files(const struct pm_region *one, const struct pm_region *other)
{
	int order = compare_numbers(one->inode, other->inode);
	if (order == 0)
		order = compare_numbers((uint64_t)one->device_major << 32 | one->device_minor,
		                        (uint64_t)other->device_major << 32 | other->device_minor);
	if (order == 0)
		order = compare_numbers(one->offset, other->offset);
	return order != 0 ? order : compare_numbers(one->perms, other->perms);
}

static bool has_arena(const struct pm_sets *sets, size_t node)
{
	return pm_sets_region(sets, node)->arena != 0;
}

static bool is_left_stack(const struct pm_sets *sets, size_t node)
{
	return !sets->matched[node] && pm_sets_region(sets, node)->thread != 0;
}

static bool is_left_file(const struct pm_sets *sets, size_t node)
{
	return !sets->matched[node] && pm_sets_region(sets, node)->inode != 0;
}

static bool is_left_memory(const struct pm_sets *sets, size_t node)
{
	const struct pm_region *region = pm_sets_region(sets, node);
	return !sets->matched[node] && region->inode == 0 && pm_region_is_anonymous(region) &&
	       region->bytes[PM_SIZE_RSS] >= min_moved;
}

static bool is_left_malloc(const struct pm_sets *sets, size_t node)
{
	return pm_sets_region(sets, node)->kind == PM_KIND_MALLOC && is_left_memory(sets, node);
}

/** Collects the nodes that satisfy a condition. Returns false if there are fewer than two. */
static bool collect(struct candidates *candidates, bool (*wanted)(const struct pm_sets *, size_t))
{
	struct pm_sets *sets = candidates->sets;
	size_t count = sets->before->count + sets->after->count;
	candidates->count = 0;

	for (size_t node = 0; node < count; node++)
		if (wanted(sets, node))
			candidates->nodes[candidates->count++] = node;
	return candidates->count > 1;
}

/** Context of compare_nodes(). */
struct order {
	const struct pm_sets *sets;
	comparison *compare;
};

static int compare_nodes(const void *one, const void *other, void *context)
{
	const struct order *order = context;
	return order->compare(pm_sets_region(order->sets, *(const size_t *)one),
	                      pm_sets_region(order->sets, *(const size_t *)other));
}

/** Returns the number of successive candidates, starting with `first`, that compare equal to it. */
static size_t count_equal(const struct candidates *candidates, size_t first, comparison *compare)
{
	size_t next = first + 1;

	while (next < candidates->count &&
	       compare(pm_sets_region(candidates->sets, candidates->nodes[first]),
	               pm_sets_region(candidates->sets, candidates->nodes[next])) == 0)
		next++;
	return next - first;
}

/** Returns whether there are exactly two nodes, one of each sample. */
static bool is_pair(const struct pm_sets *sets, const size_t *nodes, size_t count)
{
	return count == 2 && pm_sets_is_after(sets, nodes[0]) != pm_sets_is_after(sets, nodes[1]);
}

/**
 * Sorts the candidates, and unites those that compare equal.
 * @param in_pairs  true: unite candidates only if exactly two compare equal, one of each sample
 * @param link      the evidence to store
 */
static void unite_equal(struct candidates *candidates, comparison *compare, bool in_pairs,
                        enum pm_link link)
{
	struct order order = { candidates->sets, compare };
	qsort_r(candidates->nodes, candidates->count, sizeof *candidates->nodes, compare_nodes,
	        &order);

	for (size_t first = 0, length; first < candidates->count; first += length) {
		const size_t *nodes = candidates->nodes + first;

		length = count_equal(candidates, first, compare);
		if (in_pairs && !is_pair(candidates->sets, nodes, length))
			continue;
		for (size_t i = 1; i < length; i++)
			pm_sets_unite(candidates->sets, nodes[0], nodes[i], link);
	}
}

/**
 * Checks whether region `is` can be region `was` after mremap(2): it has the same permissions and
 * kind, its length and its resident size did not decrease, and the resident size increased by no
 * more than the length. For blocks of malloc, the resident size may have increased by more.
 */
static bool may_have_moved(const struct pm_region *was, const struct pm_region *is)
{
	uint64_t had = was->bytes[PM_SIZE_RSS], has = is->bytes[PM_SIZE_RSS];

	if (was->perms != is->perms || !pm_sets_same_kind(was, is) ||
	    pm_region_size(is) < pm_region_size(was) || has < had)
		return false;

	/*
	 * For a block of malloc, more pages may have become resident than the extension has:
	 * programs fill a block before realloc(3) moves it, so pages of the old part may have been
	 * touched after the first sample.
	 */
	return was->kind == PM_KIND_MALLOC || has - had <= pm_region_size(is) - pm_region_size(was);
}

/** Checks whether two nodes of different samples can be the same memory at another address. */
static bool is_possible_move(const struct pm_sets *sets, size_t one, size_t other)
{
	const struct pm_region *was = pm_sets_region(sets, one), *is = pm_sets_region(sets, other);

	return pm_sets_is_after(sets, one) ? may_have_moved(is, was) : may_have_moved(was, is);
}

/**
 * Returns the only candidate of the other sample that can be the same memory as a node. Returns
 * SIZE_MAX if there is none, or more than one.
 */
static size_t only_partner(const struct candidates *candidates, size_t node)
{
	const struct pm_sets *sets = candidates->sets;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < candidates->count; i++) {
		size_t other = candidates->nodes[i];

		if (pm_sets_is_after(sets, node) == pm_sets_is_after(sets, other) ||
		    !is_possible_move(sets, node, other))
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = other;
	}

	return found;
}

static void unite_moves(struct candidates *candidates)
{
	struct pm_sets *sets = candidates->sets;

	if (candidates->count > max_move_pairs / candidates->count)
		return;

	for (size_t i = 0; i < candidates->count && !pm_sets_is_after(sets, candidates->nodes[i]);
	     i++) {
		size_t node = candidates->nodes[i], partner = only_partner(candidates, node);

		if (partner != SIZE_MAX && only_partner(candidates, partner) == node)
			pm_sets_unite(sets, node, partner, PM_LINK_MOVE);
	}
}

static int candidates_init(struct candidates *candidates, struct pm_sets *sets)
{
	size_t count = sets->before->count + sets->after->count;

	*candidates = (struct candidates){ .sets = sets,
		                           .nodes = calloc(count + 1, sizeof *candidates->nodes) };
	return candidates->nodes ? 0 : -1;
}

int pm_identity_match(struct pm_sets *sets)
{
	struct candidates candidates;

	if (candidates_init(&candidates, sets) < 0)
		return -1;

	if (collect(&candidates, has_arena))
		unite_equal(&candidates, compare_arenas, false, PM_LINK_ARENA);
	if (collect(&candidates, is_left_stack))
		unite_equal(&candidates, compare_threads, true, PM_LINK_MOVE);
	if (collect(&candidates, is_left_file))
		unite_equal(&candidates, compare_files, true, PM_LINK_MOVE);
	if (collect(&candidates, is_left_malloc))
		unite_moves(&candidates);

	free(candidates.nodes);
	return 0;
}

int pm_identity_match_moves(struct pm_sets *sets)
{
	struct candidates candidates;

	if (candidates_init(&candidates, sets) < 0)
		return -1;

	if (collect(&candidates, is_left_memory))
		unite_moves(&candidates);
	free(candidates.nodes);
	return 0;
}
