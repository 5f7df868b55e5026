/* SPDX-License-Identifier: MIT */
/*
 * Regions of both samples that belong together are united to disjoint sets. The most reliable
 * evidence is used first. Each set becomes a part of the difference.
 */
#include <procmem/growth.h>

#include <stdlib.h>

#include "base/array.h"
#include "growth/identity.h"
#include "growth/overlap.h"
#include "growth/sets.h"

const char *pm_change_name(enum pm_change change)
{
	static const char *const names[PM_CHANGE_COUNT] = { "same", "grew",   "shrank", "new",
		                                            "gone", "merged", "split",  "moved" };
	return (unsigned)change < PM_CHANGE_COUNT ? names[change] : "";
}

static void add_region(struct pm_growth_sizes *sizes, const struct pm_region *region)
{
	sizes->size += pm_region_size(region);
	sizes->rss += region->bytes[PM_SIZE_RSS];
	sizes->swap += region->bytes[PM_SIZE_SWAP];
}

/**
 * Checks whether a region represents its part better than the region chosen so far: it has more
 * resident and swapped bytes or, if both have the same, it is larger. Any region is better than
 * none.
 * @param chosen  index of the region chosen so far; PM_GROWTH_NONE if there is none
 */
static bool is_heavier(const struct pm_regions *regions, size_t index, size_t chosen)
{
	if (chosen == PM_GROWTH_NONE)
		return true;

	const struct pm_region *one = &regions->items[index], *other = &regions->items[chosen];
	uint64_t weight = one->bytes[PM_SIZE_RSS] + one->bytes[PM_SIZE_SWAP];
	uint64_t min = other->bytes[PM_SIZE_RSS] + other->bytes[PM_SIZE_SWAP];

	if (weight != min)
		return weight > min;
	return pm_region_size(one) > pm_region_size(other);
}

static enum pm_change compare_sizes(uint64_t was, uint64_t is)
{
	if (is > was)
		return PM_CHANGE_GREW;
	if (is < was)
		return PM_CHANGE_SHRANK;
	return PM_CHANGE_SAME;
}

static enum pm_change change_of_size(const struct pm_growth_part *part)
{
	enum pm_change change = compare_sizes(pm_growth_weight(&part->was),
	                                      pm_growth_weight(&part->is));

	if (change == PM_CHANGE_SAME)
		change = compare_sizes(part->was.size, part->is.size);
	return change;
}

static enum pm_change change_of(const struct pm_growth_part *part, unsigned links)
{
	if (part->before_count == 0)
		return PM_CHANGE_NEW;
	if (part->after_count == 0)
		return PM_CHANGE_GONE;

	/*
	 * If the regions of an arena become more or fewer, the arena gained or lost heaps. This is
	 * neither a split nor a merge.
	 */
	if (part->before_count == part->after_count || links & PM_LINK_ARENA) {
		if (links & PM_LINK_MOVE && !(links & PM_LINK_OVERLAP))
			return PM_CHANGE_MOVED;
		return change_of_size(part);
	}

	return part->before_count > part->after_count ? PM_CHANGE_MERGED : PM_CHANGE_SPLIT;
}

/** Adds a region to the part of its set; the first region of a set creates the part. */
static void add_to_part(struct pm_growth *growth, struct pm_sets *sets, size_t *part_of_root,
                        size_t node)
{
	size_t root = pm_sets_root(sets, node);

	if (part_of_root[root] == PM_GROWTH_NONE) {
		part_of_root[root] = growth->count;
		growth->parts[growth->count++] = (struct pm_growth_part){ .before = PM_GROWTH_NONE,
			                                                  .after = PM_GROWTH_NONE };
	}

	size_t index = part_of_root[root];
	struct pm_growth_part *part = &growth->parts[index];
	const struct pm_region *region = pm_sets_region(sets, node);

	if (pm_sets_is_after(sets, node)) {
		size_t after = node - sets->before->count;
		growth->after_part[after] = index;
		part->after_count++;
		add_region(&part->is, region);
		add_region(&growth->is, region);
		if (is_heavier(sets->after, after, part->after))
			part->after = after;
	} else {
		growth->before_part[node] = index;
		part->before_count++;
		add_region(&part->was, region);
		add_region(&growth->was, region);
		if (is_heavier(sets->before, node, part->before))
			part->before = node;
	}
}

/** Creates all parts. They are ordered by the lowest address of their regions in both lists. */
static void create_parts(struct pm_growth *growth, struct pm_sets *sets, size_t *part_of_root)
{
	const struct pm_regions *before = sets->before, *after = sets->after;

	for (size_t b = 0, a = 0; b < before->count || a < after->count;) {
		if (a == after->count ||
		    (b < before->count && before->items[b].start <= after->items[a].start))
			add_to_part(growth, sets, part_of_root, b++);
		else
			add_to_part(growth, sets, part_of_root, before->count + a++);
	}

	/* The links of a set are stored at its root. */
	for (size_t node = 0; node < before->count + after->count; node++)
		if (sets->parent[node] == node) {
			/* add_to_part() has given every root a part.
			 * NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript) */
			struct pm_growth_part *part = &growth->parts[part_of_root[node]];
			part->change = change_of(part, sets->links[node]);
		}
}

/**
 * Unites the regions of both samples that belong together. The most reliable evidence is used
 * first.
 * @return 0, or -1 when out of memory
 */
static int match(struct pm_sets *sets)
{
	pm_overlap_match(sets);
	if (pm_identity_match(sets) < 0)
		return -1;

	pm_overlap_match_in_place(sets);
	if (pm_identity_match_moves(sets) < 0)
		return -1;

	pm_overlap_match_rest(sets);
	return 0;
}

int pm_growth_compare(const struct pm_regions *before, const struct pm_regions *after,
                      struct pm_growth *growth, struct pm_error *error)
{
	struct pm_sets sets;

	if (pm_sets_init(&sets, before, after) < 0)
		return pm_error_out_of_memory(error);

	size_t count = before->count + after->count;
	struct pm_growth made = {
		.parts = calloc(count + 1, sizeof *made.parts),
		.before_part = calloc(before->count + 1, sizeof *made.before_part),
		.after_part = calloc(after->count + 1, sizeof *made.after_part),
	};
	size_t *part_of_root = calloc(count + 1, sizeof *part_of_root);
	int result = -1;

	if (made.parts && made.before_part && made.after_part && part_of_root &&
	    match(&sets) == 0) {
		for (size_t i = 0; i < count; i++)
			part_of_root[i] = PM_GROWTH_NONE;
		create_parts(&made, &sets, part_of_root);
		*growth = made;
		result = 0;
	}

	free(part_of_root);
	pm_sets_deinit(&sets);
	if (result == 0)
		return 0;

	pm_growth_deinit(&made);
	return pm_error_out_of_memory(error);
}

void pm_growth_deinit(struct pm_growth *growth)
{
	free(growth->parts);
	free(growth->before_part);
	free(growth->after_part);
	*growth = (struct pm_growth){ 0 };
}
