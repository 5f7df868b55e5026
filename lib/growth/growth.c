/* SPDX-License-Identifier: MIT */
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

/** Whether a region says more about its part than the one chosen so far. */
static bool is_heavier(const struct pm_regions *regions, size_t index, size_t chosen)
{
	if (chosen == PM_GROWTH_NONE)
		return true;
	const struct pm_region *one = &regions->items[index], *other = &regions->items[chosen];
	uint64_t weight = one->bytes[PM_SIZE_RSS] + one->bytes[PM_SIZE_SWAP],
		 least = other->bytes[PM_SIZE_RSS] + other->bytes[PM_SIZE_SWAP];
	return weight != least ? weight > least : pm_region_size(one) > pm_region_size(other);
}

static enum pm_change by_size(const struct pm_growth_part *part)
{
	uint64_t was = pm_growth_weight(&part->was), is = pm_growth_weight(&part->is);
	if (was == is) {
		was = part->was.size;
		is = part->is.size;
	}
	return is > was ? PM_CHANGE_GREW : is < was ? PM_CHANGE_SHRANK : PM_CHANGE_SAME;
}

static enum pm_change change_of(const struct pm_growth_part *part, unsigned links)
{
	if (part->before_count == 0)
		return PM_CHANGE_NEW;
	if (part->after_count == 0)
		return PM_CHANGE_GONE;

	/* The heaps of an arena are several by nature. */
	if (part->before_count == part->after_count || links & PM_LINK_ARENA)
		return links & PM_LINK_MOVE && !(links & PM_LINK_OVERLAP) ? PM_CHANGE_MOVED
		                                                          : by_size(part);

	return part->before_count > part->after_count ? PM_CHANGE_MERGED : PM_CHANGE_SPLIT;
}

/** Puts a region into the part of its set, which is made when its first region comes. */
static void put(struct pm_growth *growth, struct pm_sets *sets, size_t *part_of_root, size_t node)
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

/** Puts all regions, by ascending address over both lists, so that the parts are sorted. */
static void put_all(struct pm_growth *growth, struct pm_sets *sets, size_t *part_of_root)
{
	const struct pm_regions *before = sets->before, *after = sets->after;
	for (size_t b = 0, a = 0; b < before->count || a < after->count;) {
		if (a == after->count ||
		    (b < before->count && before->items[b].start <= after->items[a].start))
			put(growth, sets, part_of_root, b++);
		else
			put(growth, sets, part_of_root, before->count + a++);
	}

	/* A part was made for some root; its links are found again through any of its regions. */
	for (size_t node = 0; node < before->count + after->count; node++)
		if (sets->parent[node] == node) {
			/* put() has given every root a part.
			 * NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript) */
			struct pm_growth_part *part = &growth->parts[part_of_root[node]];
			part->change = change_of(part, sets->links[node]);
		}
}

/**
 * Links what belongs together, the surest evidence first.
 * @return 0, or -1 when out of memory
 */
static int match(struct pm_sets *sets)
{
	pm_match_overlap(sets);
	if (pm_match_identity(sets) < 0)
		return -1;

	pm_match_standing(sets);
	if (pm_match_moves(sets) < 0)
		return -1;

	pm_match_rest(sets);
	return 0;
}

int pm_growth_compare(const struct pm_regions *before, const struct pm_regions *after,
                      struct pm_growth *growth, struct pm_error *error)
{
	struct pm_sets sets;
	if (pm_sets_init(&sets, before, after) < 0)
		return pm_error_out_of_memory(error);

	size_t count = before->count + after->count, room = count ? count : 1;
	struct pm_growth made = {
		.parts = calloc(room, sizeof *made.parts),
		.before_part = calloc(before->count + 1, sizeof *made.before_part),
		.after_part = calloc(after->count + 1, sizeof *made.after_part),
	};
	size_t *part_of_root = malloc(room * sizeof *part_of_root);
	int result = -1;

	if (made.parts && made.before_part && made.after_part && part_of_root &&
	    match(&sets) == 0) {
		for (size_t i = 0; i < count; i++)
			part_of_root[i] = PM_GROWTH_NONE;
		put_all(&made, &sets, part_of_root);
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
