/* SPDX-License-Identifier: MIT */
#include <procmem/series.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"

void pm_series_deinit(struct pm_series *series)
{
	free(series->points);
	*series = (struct pm_series){ 0 };
}

/* Maximum number of corners after a series was thinned out. */
enum { THINNED_MAX = PM_SERIES_POINTS * 3 / 4 };

/**
 * Combines the corners of a series, except the first and the last one, into groups, and keeps the
 * lowest and the highest corner of each group: falls stay as deep as they were.
 *
 * @param points  the corners
 * @param count   number of corners, at least 2
 * @param length  length of a group in seconds, at most
 * @param kept    receives the corners that are kept; may be `points`. NULL: they are only counted
 * @return        number of corners that are kept
 */
static size_t keep_extremes(const struct pm_point *points, size_t count, double length,
                            struct pm_point *kept)
{
	const struct pm_point last = points[count - 1];
	size_t number = 1;

	for (size_t begin = 1, end; begin < count - 1; begin = end) {
		double until = points[begin].time + length;
		size_t low = begin, high = begin;

		for (end = begin + 1; end < count - 1 && points[end].time <= until; end++) {
			if (points[end].value < points[low].value)
				low = end;
			if (points[end].value > points[high].value)
				high = end;
		}

		/* The corner `number` is not needed any more: it is not after `begin`. */
		const struct pm_point one = points[pm_min_size(low, high)];
		const struct pm_point other = points[pm_max_size(low, high)];
		if (kept)
			kept[number] = one;
		number++;
		if (kept && low != high)
			kept[number] = other;
		number += low != high;
	}

	if (kept)
		kept[number] = last;
	return number + 1;
}

/**
 * Removes corners of a series that has too many. All parts of the time keep the same resolution,
 * unless they had a lower one.
 */
static void thin_out(struct pm_series *series)
{
	double span = series->points[series->count - 1].time - series->points[0].time;
	double length = span / (UINT64_C(1) << 40);

	/* With the length `span`, there is a single group. */
	while (length < span &&
	       keep_extremes(series->points, series->count, length, NULL) > THINNED_MAX)
		length *= 2;

	series->count = keep_extremes(series->points, series->count, length, series->points);
}

static int add_corner(struct pm_series *series, double time, uint64_t value, struct pm_error *error)
{
	if (series->count >= PM_SERIES_POINTS)
		thin_out(series);

	if (pm_array_reserve(&series->points, &series->capacity, series->count, 1,
	                     sizeof *series->points, error) < 0)
		return -1;

	series->points[series->count++] = (struct pm_point){ .time = time, .value = value };
	return 0;
}

int pm_series_add(struct pm_series *series, double time, uint64_t value, struct pm_error *error)
{
	const struct pm_point *corner = NULL;

	if (series->count > 0)
		corner = &series->points[series->count - 1];

	if (!corner || corner->value != value) {
		/* The value was constant until the previous sample: add a corner there. */
		if (corner && series->last > corner->time &&
		    add_corner(series, series->last, corner->value, error) < 0)
			return -1;
		if (add_corner(series, time, value, error) < 0)
			return -1;
	}

	series->last = time;
	series->samples++;

	return 0;
}

double pm_series_at(const struct pm_series *series, double time)
{
	if (series->count == 0 || time < series->points[0].time)
		return 0;

	size_t low = 0, high = series->count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (series->points[middle].time <= time)
			low = middle;
		else
			high = middle;
	}

	const struct pm_point *left = &series->points[low];
	if (high == series->count)
		return (double)left->value;

	const struct pm_point *right = &series->points[high];
	double share = (time - left->time) / (right->time - left->time);
	return (double)left->value + share * ((double)right->value - (double)left->value);
}

/**
 * Returns the next time at which at least one of two series has a corner.
 * @param i  index of the next corner of `one`; advanced past this time
 * @param j  index of the next corner of `other`; advanced past this time
 */
static double next_time(const struct pm_series *one, size_t *i, const struct pm_series *other,
                        size_t *j)
{
	double time;

	if (*j == other->count ||
	    (*i < one->count && one->points[*i].time <= other->points[*j].time))
		time = one->points[*i].time;
	else
		time = other->points[*j].time;

	if (*i < one->count && one->points[*i].time <= time)
		++*i;
	if (*j < other->count && other->points[*j].time <= time)
		++*j;

	return time;
}

int pm_series_merge(struct pm_series *series, const struct pm_series *other, struct pm_error *error)
{
	struct pm_series sum = { 0 };

	for (size_t i = 0, j = 0; i < series->count || j < other->count;) {
		double time = next_time(series, &i, other, &j);
		double value = pm_series_at(series, time) + pm_series_at(other, time);

		if (add_corner(&sum, time, (uint64_t)(value + 0.5), error) < 0) {
			pm_series_deinit(&sum);
			return -1;
		}
	}

	sum.last = series->last > other->last ? series->last : other->last;
	sum.samples = pm_max(series->samples, other->samples);
	pm_series_deinit(series);
	*series = sum;

	return 0;
}
