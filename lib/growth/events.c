/* SPDX-License-Identifier: MIT */
/*
 * Finds the growth events of a curve. A rise is measured from the high-water mark, so that noise,
 * and a rise that follows a fall, do not count as growth.
 */
#include "growth/events.h"

#include "base/minmax.h"

/* Minimum height of an event, as a share of the range of the curve. */
static const double min_height = 1.0 / 50;

void pm_growth_events_measure(const struct pm_curve *curve, struct pm_growth_events *events)
{
	double heights[PM_CURVE_MAX], mark = curve->values[0];
	size_t first = 0, last = 0;

	*events = (struct pm_growth_events){ 0 };
	for (size_t i = 1; i < curve->count; i++) {
		double height = curve->values[i] - mark;

		if (height <= 0 || height < min_height * curve->range)
			continue;
		if (events->count == 0)
			first = i;

		double gap = curve->step * (double)(i - last);
		events->longest_gap = pm_max_double(events->longest_gap, gap);
		events->largest = pm_max_double(events->largest, height);

		heights[events->count++] = height;
		mark = curve->values[i];
		last = i;
	}

	events->rest = curve->step * (double)(curve->count - 1 - last);
	if (events->count > 0)
		events->step = pm_curve_median(heights, events->count);
	if (last > first)
		events->rate = (curve->values[last] - curve->values[first]) /
		               (curve->step * (double)(last - first));
}
