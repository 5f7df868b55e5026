/* SPDX-License-Identifier: MIT */
#include "watch/kinds.h"

#include "watch/sort.h"

int watch_kinds_add(struct watch_kinds *kinds, const struct watch *watch, struct pm_error *error)
{
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++) {
		struct pm_track *track = &kinds->tracks[kind];
		uint64_t weight = watch->kind_weights[kind];

		if (track->series.count == 0 && watch->kind_regions[kind] == 0)
			continue;

		if (track->series.count == 0)
			*track = (struct pm_track){
				.kind = (enum pm_kind)kind,
				.mapping = "",
				.since = watch->sample.time,
				.born = watch->samples > 1,
				.baseline = watch->samples > 1 ? 0 : weight,
			};

		track->delta = (int64_t)(weight - track->weight) * (track->series.count > 0);
		track->weight = weight;
		track->regions = watch->kind_regions[kind];
		if (track->regions > track->max_regions)
			track->max_regions = track->regions;
		if (pm_series_add(&track->series, watch->sample.time, weight, error) < 0)
			return -1;
	}

	return 0;
}

void watch_kinds_sort(struct watch_kinds *kinds, const struct watch *watch)
{
	kinds->count = 0;
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++) {
		const struct pm_track *track = &kinds->tracks[kind];
		/* Guards hold nothing, whatever they do. */
		if (track->series.count == 0 || kind == PM_KIND_GUARD)
			continue;
		struct watch_row *row = &kinds->rows[kinds->count++];
		*row = (struct watch_row){ .track = track,
			                   .growth = (int64_t)(track->weight - track->baseline) };
		watch_sort_judge(watch, row);
	}

	watch_sort_order(kinds->rows, kinds->count, watch->options->sort);
}

void watch_kinds_rebase(struct watch_kinds *kinds)
{
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++)
		kinds->tracks[kind].baseline = kinds->tracks[kind].weight;
}

void watch_kinds_deinit(struct watch_kinds *kinds)
{
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++)
		pm_series_deinit(&kinds->tracks[kind].series);
	*kinds = (struct watch_kinds){ 0 };
}
