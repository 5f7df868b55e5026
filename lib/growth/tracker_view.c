/* SPDX-License-Identifier: MIT */
/* What can be asked of a tracker. */
#include "growth/tracker_state.h"

const struct pm_track *const *pm_tracker_tracks(const struct pm_tracker *tracker, size_t *count)
{
	*count = tracker->count;
	/* The track is the first member of what is followed. */
	return (const struct pm_track *const *)(void *)tracker->tracks;
}

const struct pm_track *pm_tracker_owner(const struct pm_tracker *tracker, size_t region)
{
	return &tracker->owners[region]->track;
}

void pm_tracker_rebase(struct pm_tracker *tracker)
{
	for (size_t i = 0; i < tracker->count; i++) {
		struct pm_track *track = &tracker->tracks[i]->track;
		track->baseline = track->weight;
		track->baseline_regions = track->regions;
	}
}

/** Judges a series; one that has not begun is constant. */
static void judge(const struct pm_tracker *tracker, const struct pm_track *track,
                  const struct pm_series *series, uint64_t value, enum pm_trend_unit unit,
                  struct pm_trend *trend)
{
	if (series->count > 0) {
		pm_trend_judge(series, unit, trend);
		return;
	}

	struct pm_point point = { .time = track->since, .value = value };
	struct pm_series constant = {
		.points = &point, .count = 1, .last = tracker->last, .samples = tracker->samples
	};

	pm_trend_judge(&constant, unit, trend);
}

void pm_track_judge(const struct pm_tracker *tracker, const struct pm_track *track,
                    struct pm_trend *trend)
{
	judge(tracker, track, &track->series, track->weight, PM_TREND_BYTES, trend);
}

void pm_track_judge_count(const struct pm_tracker *tracker, const struct pm_track *track,
                          struct pm_trend *trend)
{
	judge(tracker, track, &track->counts, track->regions, PM_TREND_COUNT, trend);
}
