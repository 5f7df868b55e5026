/* SPDX-License-Identifier: MIT */
#include "why/early.h"

/* Share of the time that must have passed, and minimum time in seconds. */
static const double share_min = 0.6, seconds_min = 15;

/* Share of the growth that must be above the highest size that the process had before. */
static const double above_min = 0.8;

static const double milliseconds = 1000;

void why_early_begin(struct why_early *early, double seconds, const struct pm_process_info *info)
{
	*early = (struct why_early){ .seconds = seconds };
	/* Swapped memory leaves the resident size, and comes back: its peak says nothing. */
	if (!info || info->vm_swap > 0)
		return;
	early->age = (double)info->uptime_ms / milliseconds;
	early->peak = info->vm_hwm;
}

/** Tests whether nearly all of the growth is above the highest size before. */
static bool is_above_peak(const struct why_early *early, const struct pm_series *memory)
{
	double first = (double)memory->points[0].value;
	double last = (double)memory->points[memory->count - 1].value;

	return early->peak > 0 && early->age >= early->seconds &&
	       last - (double)early->peak >= above_min * (last - first);
}

/** Tests whether a trend is that of a value that grows steadily, and has hardly fallen. */
static bool is_steady(const struct pm_trend *trend)
{
	return trend->verdict == PM_VERDICT_STEADY && !trend->sawtooth;
}

/** Tests whether the regions of a track grow steadily, or do not change. */
static bool is_settled(const struct pm_tracker *tracker, const struct pm_track *track)
{
	struct pm_trend trend;

	pm_track_judge(tracker, track, &trend);
	return is_steady(&trend) || (trend.verdict == PM_VERDICT_NO_GROWTH && !trend.sawtooth);
}

bool why_early_is_sure(const struct why_early *early, const struct pm_series *memory,
                       const struct pm_tracker *tracker)
{
	struct pm_trend trend;
	size_t count = 0;

	if (memory->count == 0)
		return false;

	double passed = memory->last - memory->points[0].time;
	if (passed < seconds_min || passed < share_min * early->seconds ||
	    !is_above_peak(early, memory))
		return false;

	pm_trend_judge(memory, PM_TREND_BYTES, &trend);
	if (!is_steady(&trend))
		return false;

	const struct pm_track *const *tracks = pm_tracker_tracks(tracker, &count);
	for (size_t i = 0; i < count; i++)
		if (!is_settled(tracker, tracks[i]))
			return false;
	return true;
}
