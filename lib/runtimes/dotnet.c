/* SPDX-License-Identifier: MIT */
/*
 * From .NET 7 on, the collector reserves one range for its heap: by default 256 GiB, or twice the
 * physical memory (regions_range in gc.cpp). Nothing else that CoreCLR reserves is nearly as large.
 * The parts of the range that are in use are writable.
 */
#include "runtimes/dotnet.h"

static const uint64_t range_min = UINT64_C(4) << 30;

/* The range must be that many times larger than any other. */
enum { LARGER = 4 };

static bool is_plain(const struct pm_region *region)
{
	return region->inode == 0 && region->mapping[0] == '\0' &&
	       !(region->perms & (PM_PERM_SHARED | PM_PERM_EXEC));
}

/** Returns the range of plain memory without gaps that begins with a region, and moves behind it.
 */
static struct pm_range take_run(const struct pm_regions *regions, size_t *at)
{
	struct pm_range run = { regions->items[*at].start, regions->items[*at].start };

	while (*at < regions->count && regions->items[*at].start == run.end &&
	       is_plain(&regions->items[*at]))
		run.end = regions->items[(*at)++].end;
	if (pm_range_size(run) == 0)
		++*at;
	return run;
}

bool pm_runtime_dotnet_guess(struct pm_runtimes_context *context)
{
	const struct pm_regions *regions = context->source->regions;
	struct pm_range largest = { 0 };
	uint64_t second = 0;

	for (size_t at = 0; at < regions->count;) {
		struct pm_range run = take_run(regions, &at);

		if (pm_range_size(run) > pm_range_size(largest)) {
			second = pm_range_size(largest);
			largest = run;
		} else if (pm_range_size(run) > second) {
			second = pm_range_size(run);
		}
	}
	if (pm_range_size(largest) < range_min || pm_range_size(largest) / LARGER < second)
		return false;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		if (pm_range_contains(largest, region->start) && region->perms & PM_PERM_WRITE)
			pm_runtime_add_range(context, region->start, region->end,
			                     PM_OWNER_DOTNET_HEAP, PM_PROOF_INFERRED);
	}
	return true;
}
