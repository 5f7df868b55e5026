/* SPDX-License-Identifier: MIT */
#include "growth/sets.h"

#include <stdlib.h>

int pm_sets_init(struct pm_sets *sets, const struct pm_regions *before,
                 const struct pm_regions *after)
{
	/* The sum cannot overflow, because both lists are in memory. */
	size_t count = before->count + after->count;

	*sets = (struct pm_sets){
		.before = before,
		.after = after,
		.parent = calloc(count + 1, sizeof *sets->parent),
		.links = calloc(count + 1, sizeof *sets->links),
		.matched = calloc(count + 1, sizeof *sets->matched),
	};
	if (!sets->parent || !sets->links || !sets->matched) {
		pm_sets_deinit(sets);
		return -1;
	}

	for (size_t i = 0; i < count; i++)
		sets->parent[i] = i;

	return 0;
}

void pm_sets_deinit(struct pm_sets *sets)
{
	free(sets->parent);
	free(sets->links);
	free(sets->matched);
	*sets = (struct pm_sets){ 0 };
}

size_t pm_sets_root(struct pm_sets *sets, size_t node)
{
	while (sets->parent[node] != node) {
		/* Path halving: keeps the trees flat, so that later searches are short. */
		sets->parent[node] = sets->parent[sets->parent[node]];
		node = sets->parent[node];
	}

	return node;
}

void pm_sets_unite(struct pm_sets *sets, size_t one, size_t other, enum pm_link link)
{
	if (pm_sets_is_after(sets, one) != pm_sets_is_after(sets, other))
		sets->matched[one] = sets->matched[other] = true;

	size_t low = pm_sets_root(sets, one), high = pm_sets_root(sets, other);

	if (low > high) {
		size_t swap = low;

		low = high;
		high = swap;
	}

	sets->links[low] = (uint8_t)(sets->links[low] | sets->links[high] | link);
	sets->parent[high] = low;
}
