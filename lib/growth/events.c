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

/*
 * Alike events: the highest one is at most this many times as high as the median, the longest gap
 * at most as many times as long as the median gap, and the shortest gap at most as many times
 * shorter.
 */
static const double max_alike = 1.6;

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

/** Measures the gaps between events, the rate, and its variance. There are at least two events. */
static void measure_rate(const struct event *list, struct pm_growth_events *events)
{
	const struct event *first = &list[0], *last = &list[events->count - 1];
	double time = last->time - first->time, rise = last->value - first->value;
	double squares = 0, gaps[EVENTS_MAX];
	size_t count = events->count - 1;

	events->rate = rise / time;
	for (size_t i = 0; i < count; i++) {
		gaps[i] = list[i + 1].time - list[i].time;
		double off = list[i + 1].value - list[i].value - events->rate * gaps[i];
		squares += off * off;
	}

	events->shortest_gap = gaps[0];
	for (size_t i = 1; i < count; i++)
		events->shortest_gap = pm_min_double(events->shortest_gap, gaps[i]);

	events->gap = pm_curve_median(gaps, count);
	if (count > 1)
		events->variance = squares * (double)count / (double)(count - 1) / (rise * rise);
}

void pm_growth_events_measure(const struct pm_series *series, double from, double range,
                              double share, struct pm_growth_events *events)
{
	struct event all[EVENTS_MAX];
	double heights[EVENTS_MAX];
	size_t count = find_events(series, from, range, all);

	*events = (struct pm_growth_events){ .first = from, .last = from };
	for (size_t i = 0; i < count; i++)
		events->largest = pm_max_double(events->largest, all[i].height);

	for (size_t i = 0; i < count; i++) {
		if (all[i].height < share * events->largest)
			continue;

		double gap = all[i].time - events->last;
		events->longest_gap = pm_max_double(events->longest_gap, gap);
		events->last = all[i].time;
		heights[events->count] = all[i].height;
		all[events->count++] = all[i];
	}

	events->rest = series->last - events->last;
	if (events->count > 0) {
		events->first = all[0].time;
		events->step = pm_curve_median(heights, events->count);
	}
	if (events->count > 1)
		measure_rate(all, events);
}

bool pm_growth_events_alike(const struct pm_growth_events *events, double began, double interval)
{
	double head = events->first - began;
	double longest = pm_max_double(events->longest_gap, pm_max_double(head, events->rest));

	return events->largest <= max_alike * events->step &&
	       longest <= max_alike * events->gap + interval &&
	       events->gap <= max_alike * (events->shortest_gap + interval);
}
