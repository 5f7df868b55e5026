/* SPDX-License-Identifier: MIT */
#include "target/owner_groups.h"

/** Adds a region that has one owner to its parts. */
static void add_owned(struct owner_groups *groups, const struct pm_region *region)
{
	const enum pm_owner owner = (enum pm_owner)region->owner;
	uint64_t bytes = region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP];

	if (!pm_region_knows(region, PM_SIZE_RSS))
		bytes = pm_region_size(region);
	owner_parts_add(&groups->parts[owner], owner, region, bytes);
}

/** Adds the parts of a region that has several owners. `before` are the sums without it. */
static void add_parts(struct owner_groups *groups, const struct pm_region *region,
                      const struct pm_owner_sums *before)
{
	for (unsigned owner = 0; owner < PM_OWNER_COUNT; owner++) {
		const struct pm_owner_sum *is = &groups->sums.items[owner];
		const struct pm_owner_sum *was = &before->items[owner];
		uint64_t bytes = pm_owner_sum_weight(is) - pm_owner_sum_weight(was);

		if (is->regions == was->regions)
			continue;
		if (!pm_region_knows(region, PM_SIZE_RSS))
			bytes = is->size - was->size;
		owner_parts_add(&groups->parts[owner], (enum pm_owner)owner, region, bytes);
	}
}

int owner_groups_add(struct owner_groups *groups, const struct pm_owner_sums_source *division,
                     const struct pm_region *region, struct pm_error *error)
{
	if (!region->owner_mixed || !division->runtimes) {
		add_owned(groups, region);
		return pm_owner_sums_add(division, region, &groups->sums, error);
	}

	const struct pm_owner_sums before = groups->sums;
	if (pm_owner_sums_add(division, region, &groups->sums, error) < 0)
		return -1;

	add_parts(groups, region, &before);
	return 0;
}

void owner_groups_deinit(struct owner_groups *groups)
{
	for (unsigned owner = 0; owner < PM_OWNER_COUNT; owner++)
		owner_parts_deinit(&groups->parts[owner]);
	*groups = (struct owner_groups){ 0 };
}
