/* SPDX-License-Identifier: MIT */
#include "watch/screen/parts.h"

#include <stdlib.h>

#include "base/alloc.h"

bool screen_parts_are_of(const struct screen_tracks *tracks, const struct pm_track *track)
{
	for (size_t i = 0; i < tracks->count; i++)
		if (tracks->items[i] == track)
			return true;
	return false;
}

int screen_parts_take(struct screen_parts *parts, const struct watch_history *history,
                      const struct screen_tracks *tracks, struct pm_error *error)
{
	const struct pm_regions *regions = history->sample.regions;
	struct screen_parts taken = { .taken = true };

	pm_regions_init(&taken.regions);
	taken.tracks = alloc_array(NULL, regions->count + 1, sizeof(struct pm_track *));

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_track *track = watch_history_owner(history, i);

		if (track->regions < 2 || (tracks && !screen_parts_are_of(tracks, track)))
			continue;
		taken.tracks[taken.regions.count] = track;
		if (pm_regions_append(&taken.regions, &regions->items[i], error) < 0) {
			screen_parts_deinit(&taken);
			return -1;
		}
	}

	screen_parts_deinit(parts);
	*parts = taken;
	return 0;
}

static int compare_parts(const void *one, const void *other)
{
	const struct screen_part *a = one, *b = other;

	if (a->track.weight != b->track.weight)
		return a->track.weight < b->track.weight ? 1 : -1;
	return (a->track.start > b->track.start) - (a->track.start < b->track.start);
}

static struct screen_part make_part(const struct pm_region *region, const struct pm_track *track)
{
	uint64_t weight = region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP];

	return (struct screen_part){
		.row = { .part_of = track },
		.track = { .start = region->start,
		           .end = region->end,
		           .own = weight,
		           .weight = weight,
		           .size = region->end - region->start,
		           .kind = (enum pm_kind)region->kind,
		           .perms = region->perms,
		           .thread = region->thread,
		           .mapping = region->mapping,
		           .detail = region->detail,
		           .owner = (enum pm_owner)region->owner,
		           .regions = 1,
		           .max_regions = 1 },
	};
}

size_t screen_parts_rows(const struct screen_parts *parts, const struct pm_track *track,
                         struct screen_part *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < parts->regions.count; i++)
		if (parts->tracks[i] == track)
			rows[count++] = make_part(&parts->regions.items[i], track);

	if (count > 0)
		qsort(rows, count, sizeof *rows, compare_parts);
	for (size_t i = 0; i < count; i++)
		rows[i].row.track = &rows[i].track;
	return count;
}

void screen_parts_deinit(struct screen_parts *parts)
{
	if (parts->taken)
		pm_regions_deinit(&parts->regions);
	free(parts->tracks);
	*parts = (struct screen_parts){ 0 };
}
