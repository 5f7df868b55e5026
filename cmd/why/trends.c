/* SPDX-License-Identifier: MIT */
#include "why/trends.h"

#include "base/minmax.h"

/*
 * Share of the time of the observation, and seconds, that are enough for a verdict. If the user
 * wants a short observation, its verdicts are less sure; the findings say so.
 */
static const double judged_share = 0.6, usual_seconds = 10;

/** Returns the minimum time for a verdict. */
static double judged_seconds(const struct why_observation *observation)
{
	double seconds = judged_share * observation->options->seconds;

	return seconds < usual_seconds ? seconds : usual_seconds;
}

struct pm_evidence_trend why_trends_of(const struct why_observation *observation,
                                       const struct pm_series *series, enum pm_trend_unit unit)
{
	struct pm_evidence_trend trend = { 0 };

	if (series->count == 0)
		return trend;

	trend.first = series->points[0].value;
	trend.last = series->points[series->count - 1].value;
	trend.known = series->samples > 1;
	if (trend.known)
		pm_trend_judge_early(series, unit, judged_seconds(observation), &trend.trend);
	return trend;
}

void why_trends_judge_track(const struct why_observation *observation, const struct pm_track *track,
                            struct pm_evidence_region *region)
{
	double seconds = judged_seconds(observation);

	if (track->series.count > 0)
		pm_trend_judge_early(&track->series, PM_TREND_BYTES, seconds,
		                     &region->memory.trend);
	else
		pm_track_judge(observation->rates.tracker, track, &region->memory.trend);
	if (track->counts.count > 0)
		pm_trend_judge_early(&track->counts, PM_TREND_COUNT, seconds, &region->count.trend);
	else
		pm_track_judge_count(observation->rates.tracker, track, &region->count.trend);
}

/* Growth is steady if each rate is at least this part of the highest one. */
static const double even_part = 0.5;

/** Tests whether values grow from each to the next, at rates that are alike. */
static bool grows_evenly(const uint64_t *values, const double *times, size_t count)
{
	double lowest = 0, highest = 0;

	for (size_t i = 1; i < count; i++) {
		double seconds = times[i] - times[i - 1];

		if (values[i] <= values[i - 1] || seconds <= 0)
			return false;
		double rate = (double)(values[i] - values[i - 1]) / seconds;
		if (i == 1 || rate < lowest)
			lowest = rate;
		if (rate > highest)
			highest = rate;
	}
	return lowest >= even_part * highest;
}

struct pm_evidence_trend why_trends_of_few(const uint64_t *values, const double *times,
                                           size_t count)
{
	struct pm_evidence_trend trend = { .known = count > 1 };

	if (count == 0)
		return trend;

	trend.first = values[0];
	trend.last = values[count - 1];
	if (count < 2 || times[count - 1] <= times[0])
		return trend;

	double rate = ((double)trend.last - (double)trend.first) / (times[count - 1] - times[0]);
	if (count > 2 && grows_evenly(values, times, count)) {
		trend.trend.verdict = PM_VERDICT_STEADY;
		trend.trend.rate = rate;
	} else {
		trend.trend.verdict = rate > 0 ? PM_VERDICT_UNEVEN : PM_VERDICT_NO_GROWTH;
	}
	return trend;
}

struct pm_evidence_trend why_trends_mean(uint64_t first, uint64_t last, double rate)
{
	struct pm_evidence_trend trend = { .known = true, .first = first, .last = last };

	trend.trend.verdict = rate > 0 ? PM_VERDICT_STEADY : PM_VERDICT_NO_GROWTH;
	trend.trend.rate = rate > 0 ? rate : 0;
	return trend;
}
