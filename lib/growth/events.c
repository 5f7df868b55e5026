/* SPDX-License-Identifier: MIT */
/*
 * Finds the growth events of a series. A rise is measured from the high-water mark, so that noise,
 * and a rise that follows a fall, do not count as growth.
 */
#include "growth/events.h"

#include "base/minmax.h"
#include "growth/curve.h"

/*
 * Minimum height of an event, as a share of the range: 1 / EVENTS_MAX. All events together are not
 * higher than the range, so there are no more than EVENTS_MAX.
 */
enum { EVENTS_MAX = 50 };

/** An event. */
struct event {
	double time;
	double height;
	double value; /* value of the series at this time */
};

/** Finds all events. @return their number */
static size_t find_events(const struct pm_series *series, double from, double range,
                          struct event *events)
{
	double mark = pm_series_at(series, from);
	size_t count = 0;

	for (size_t i = 0; i < series->count && count < EVENTS_MAX; i++) {
		const struct pm_point *point = &series->points[i];
		double value = (double)point->value, height = value - mark;

		if (point->time <= from || height <= 0 || height < range / EVENTS_MAX)
			continue;

		events[count++] = (struct event){ point->time, height, value };
		mark = value;
	}

	return count;
}

void pm_growth_events_measure(const struct pm_series *series, double from, double range,
                              double share, struct pm_growth_events *events)
{
	struct event all[EVENTS_MAX], first = { 0 }, last = { .time = from };
	double heights[EVENTS_MAX];
	size_t count = find_events(series, from, range, all);

	*events = (struct pm_growth_events){ 0 };
	for (size_t i = 0; i < count; i++)
		events->largest = pm_max_double(events->largest, all[i].height);

	for (size_t i = 0; i < count; i++) {
		if (all[i].height < share * events->largest)
			continue;

		double gap = all[i].time - last.time;
		events->longest_gap = pm_max_double(events->longest_gap, gap);
		last = all[i];
		if (events->count == 0)
			first = last;
		heights[events->count++] = last.height;
	}

	events->last = last.time;
	events->rest = series->last - last.time;
	if (events->count > 0)
		events->step = pm_curve_median(heights, events->count);
	if (events->count > 1)
		events->rate = (last.value - first.value) / (last.time - first.time);
}
