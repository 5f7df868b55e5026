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

/** The events that were found so far. */
struct found {
	double heights[EVENTS_MAX];
	double mark;        /* highest value so far */
	double first_time;  /* time of the first event */
	double first_value; /* value of the first event */
	double last_time; /* time of the last event; the start of the part before the first event */
};

static void add_event(struct pm_growth_events *events, struct found *found,
                      const struct pm_point *point)
{
	double value = (double)point->value, height = value - found->mark;

	if (events->count == 0) {
		found->first_time = point->time;
		found->first_value = value;
	}

	events->longest_gap = pm_max_double(events->longest_gap, point->time - found->last_time);
	events->largest = pm_max_double(events->largest, height);
	found->heights[events->count++] = height;
	found->mark = value;
	found->last_time = point->time;
}

void pm_growth_events_measure(const struct pm_series *series, double from, double range,
                              struct pm_growth_events *events)
{
	struct found found = { .mark = pm_series_at(series, from), .last_time = from };

	*events = (struct pm_growth_events){ 0 };
	for (size_t i = 0; i < series->count && events->count < EVENTS_MAX; i++) {
		const struct pm_point *point = &series->points[i];
		double height = (double)point->value - found.mark;

		if (point->time > from && height > 0 && height >= range / EVENTS_MAX)
			add_event(events, &found, point);
	}

	events->rest = series->last - found.last_time;
	if (events->count > 0)
		events->step = pm_curve_median(found.heights, events->count);
	if (events->count > 1)
		events->rate = (found.mark - found.first_value) /
		               (found.last_time - found.first_time);
}
