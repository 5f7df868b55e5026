/* SPDX-License-Identifier: MIT */
#include "recording/sample_place.h"

/* Minimum time between two samples, in seconds. Rates are computed from the difference. */
static const double TIME_STEP = 0.001;

/**
 * Returns the difference of two times in seconds as nanoseconds. The times of a file are untrusted:
 * the result is at most a day.
 */
static int64_t later_ns(double from, double until)
{
	const double seconds_max = 86400;
	double seconds = until - from;

	if (!(seconds >= 0))
		return 0;
	if (seconds > seconds_max)
		seconds = seconds_max;

	return (int64_t)(seconds * 1e9);
}

struct pm_sample_place pm_sample_place_after(const struct pm_sample_place *last, double time)
{
	struct pm_sample_place place = { .number = last->number + 1, .time = time };

	if (last->number > 0 && last->time > time - TIME_STEP) {
		place.time = last->time + TIME_STEP;
		place.later_ns = later_ns(time, place.time);
	}

	return place;
}
