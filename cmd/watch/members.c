/* SPDX-License-Identifier: MIT */
#include "watch/members.h"

#include "base/alloc.h"

struct pm_region_range *watch_members(const struct watch *watch, const struct pm_track *track,
                                      size_t *count)
{
	const struct pm_regions *regions = watch->sample.regions;
	struct pm_region_range *ranges = alloc_array(NULL, track->regions + 1, sizeof *ranges);
	*count = 0;

	for (size_t i = 0; i < regions->count && *count < track->regions; i++)
		if (pm_tracker_owner(watch->tracker, i) == track)
			ranges[(*count)++] = (struct pm_region_range){
				.range = { regions->items[i].start, regions->items[i].end },
				.region = i
			};

	return ranges;
}

void watch_members_add_more(size_t count, struct text *text)
{
	if (count > 1)
		text_format(text, " +%zu", count - 1);
}
