/* SPDX-License-Identifier: MIT */
#include "sample/sizes.h"

#include <stdlib.h>

#include "base/array.h"

/*
 * If the difference between the totals and the sums of the regions changes by more than this number
 * of bytes, the list of regions is considered outdated. The kernel updates its counters in batches,
 * so small differences are normal.
 */
static const int64_t tolerance = INT64_C(256) * 1024;

struct pm_sums pm_sums_of(const struct pm_regions *regions, const struct pm_totals *totals)
{
	struct pm_sums sums = { .unexplained = (int64_t)totals->rss };

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		sums.unexplained -= (int64_t)region->bytes[PM_SIZE_RSS];
		if ((region->perms & (PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC)) == 0)
			sums.inaccessible += region->bytes[PM_SIZE_RSS];
	}
	return sums;
}

bool pm_sums_are_doubtful(const struct pm_sums *was, const struct pm_sums *is)
{
	/*
	 * If the same number of bytes was mapped and unmapped, the size of the address space is
	 * unchanged, but the sums no longer match the totals. The size is also unchanged when an
	 * arena of malloc grows, because mprotect(2) makes a part of its reserve accessible. Then,
	 * resident bytes are found in regions that were inaccessible when the list was read.
	 */
	int64_t change = is->unexplained - was->unexplained;

	return change > tolerance || change < -tolerance || is->inaccessible > was->inaccessible;
}

bool pm_sizes_are_same(const struct pm_regions *one, const struct pm_regions *other)
{
	if (one->count != other->count)
		return false;

	for (size_t i = 0; i < one->count; i++) {
		const struct pm_region *a = &one->items[i], *b = &other->items[i];

		if (a->start != b->start || a->end != b->end || a->perms != b->perms ||
		    a->bytes[PM_SIZE_RSS] != b->bytes[PM_SIZE_RSS] ||
		    a->bytes[PM_SIZE_SWAP] != b->bytes[PM_SIZE_SWAP])
			return false;
	}

	return true;
}

int pm_sizes_save(const struct pm_regions *regions, struct pm_saved_sizes *saved,
                  struct pm_error *error)
{
	saved->bytes = calloc(regions->count + 1, sizeof *saved->bytes);
	if (!saved->bytes)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < regions->count; i++) {
		saved->bytes[i][0] = regions->items[i].bytes[PM_SIZE_RSS];
		saved->bytes[i][1] = regions->items[i].bytes[PM_SIZE_SWAP];
	}
	return 0;
}

void pm_sizes_restore(struct pm_regions *regions, const struct pm_saved_sizes *saved)
{
	for (size_t i = 0; i < regions->count; i++) {
		regions->items[i].bytes[PM_SIZE_RSS] = saved->bytes[i][0];
		regions->items[i].bytes[PM_SIZE_SWAP] = saved->bytes[i][1];
	}
}

void pm_sizes_free(struct pm_saved_sizes *saved)
{
	free(saved->bytes);
}
