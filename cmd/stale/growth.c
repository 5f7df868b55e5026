/* SPDX-License-Identifier: MIT */
#include "stale/growth.h"

/**
 * Returns whether the pages of a kind are those of files: reading a mapped file adds pages, and the
 * kernel can drop them at any time. So their growth is not a leak.
 */
static bool is_of_files(size_t kind)
{
	return kind == PM_KIND_FILE || kind == PM_KIND_CODE || kind == PM_KIND_RODATA;
}

/** Returns the region of a kind that grows most and whose older part is not touched, or NULL. */
static const struct pm_stale_region *find_region(const struct pm_stale_result *result, size_t kind)
{
	const struct pm_stale_region *found = NULL;

	for (size_t i = 0; i < result->count; i++) {
		const struct pm_stale_region *region = &result->regions[i];
		if (region->region.kind != kind ||
		    region->sizes.growth != PM_STALE_GROWTH_UNTOUCHED)
			continue;
		if (!found || region->sizes.grown > found->sizes.grown)
			found = region;
	}

	return found;
}

/**
 * Finds what grows among the regions of a kind.
 * @return false if nothing grows whose older part is not touched
 */
static bool find_in_kind(const struct pm_stale_result *result, size_t kind,
                         struct stale_growth *growth)
{
	const struct pm_stale_sizes *sum = &result->kinds[kind];
	const struct pm_stale_region *region = find_region(result, kind);
	bool whole = sum->growth == PM_STALE_GROWTH_UNTOUCHED;

	*growth = (struct stale_growth){ .region = region, .kind = (enum pm_kind)kind };
	if (whole && region && region->sizes.grown < sum->grown / 2)
		growth->region = NULL;
	growth->sizes = growth->region ? &growth->region->sizes : sum;

	return growth->region || whole;
}

size_t stale_growth_find(const struct pm_stale_result *result,
                         struct stale_growth found[STALE_GROWTH_MAX])
{
	size_t count = 0;

	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++) {
		struct stale_growth growth;
		if (is_of_files(kind) || !find_in_kind(result, kind, &growth))
			continue;

		size_t at = count;
		while (at > 0 && found[at - 1].sizes->grown < growth.sizes->grown)
			at--;
		if (at == STALE_GROWTH_MAX)
			continue;

		count += count < STALE_GROWTH_MAX;
		for (size_t i = count - 1; i > at; i--)
			found[i] = found[i - 1];
		found[at] = growth;
	}

	return count;
}
