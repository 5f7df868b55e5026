/* SPDX-License-Identifier: MIT */
#include "growth/curve.h"

#include <math.h>

#include "base/minmax.h"

enum { PAIRS_MAX = PM_CURVE_MAX * (PM_CURVE_MAX - 1) / 2 };

/**
 * Returns the number of points that the curve from the time `from` on has: an estimate of the
 * number of samples in that time, as if all samples of the series were evenly spaced. It is from 2
 * to PM_CURVE_MAX, or 1 if all values of the series have the same time, or times that no clock has.
 */
static size_t moments(const struct pm_series *series, double from)
{
	double span = series->last - series->points[0].time;

	/* The condition is negated, because a comparison with NaN is false. */
	if (!(span > 0) || !isfinite(span))
		return 1;

	double samples = 1 + (double)(series->samples - 1) * (series->last - from) / span;
	if (samples < 2)
		return 2;
	if (samples > PM_CURVE_MAX)
		return PM_CURVE_MAX;
	return (size_t)(samples + 0.5);
}

/** Adds a value to the extreme values. Values are added in the order of their time. */
static void add_extreme(struct pm_curve_extremes *extremes, double value)
{
	extremes->highest = pm_max_double(extremes->highest, value);
	extremes->lowest = pm_min_double(extremes->lowest, value);

	double fall = extremes->highest - value, climb = value - extremes->lowest;
	extremes->deepest_fall = pm_max_double(extremes->deepest_fall, fall);
	extremes->highest_climb = pm_max_double(extremes->highest_climb, climb);
}

struct pm_curve_extremes pm_curve_extremes(const struct pm_series *series, double from,
                                           double until)
{
	double first = pm_series_at(series, from);
	struct pm_curve_extremes extremes = { .lowest = first, .highest = first };

	for (size_t i = 0; i < series->count && series->points[i].time <= until; i++)
		if (series->points[i].time > from)
			add_extreme(&extremes, (double)series->points[i].value);

	add_extreme(&extremes, pm_series_at(series, until));
	return extremes;
}

static void measure_heights(struct pm_curve *curve, const struct pm_series *series)
{
	struct pm_curve_extremes extremes = pm_curve_extremes(series, curve->first, series->last);

	curve->range = extremes.highest - extremes.lowest;
	curve->deepest_fall = extremes.deepest_fall;
	curve->highest_climb = extremes.highest_climb;
	curve->rise = curve->values[curve->count - 1] - curve->values[0];

	for (size_t i = 1; i < curve->count; i++)
		curve->largest_step = pm_max_double(curve->largest_step,
		                                    curve->values[i] - curve->values[i - 1]);
}

static void measure_line(struct pm_curve *curve)
{
	double middle = (double)(curve->count - 1) / 2;
	double weighted = 0, squares = 0;

	for (size_t i = 0; i < curve->count; i++) {
		double distance = (double)i - middle;

		weighted += distance * curve->values[i];
		squares += distance * distance;
	}

	if (squares > 0)
		curve->least_squares = weighted / squares / curve->step;
}

/**
 * Reorders values so that the value at an index is the one that sorting would put there. No earlier
 * value is larger, and no later one is smaller. (Quickselect: a verdict needs the median of 2,016
 * slopes, and sorting them would take most of its time.)
 */
static void select_value(double *values, size_t count, size_t index)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		double pivot = values[low + (high - low) / 2];
		size_t left = low, right = high;

		for (;;) {
			while (values[left] < pivot)
				left++;
			while (values[right] > pivot)
				right--;
			if (left >= right)
				break;

			double swapped = values[left];
			values[left++] = values[right];
			values[right--] = swapped;
		}

		/* All values up to `right` are at most the pivot, all after it at least the pivot.
		 */
		if (index <= right)
			high = right;
		else
			low = right + 1;
	}
}

double pm_curve_median(double *values, size_t count)
{
	size_t middle = count / 2;

	select_value(values, count, middle);
	if (count % 2 != 0)
		return values[middle];

	/* The other middle value is the largest one before. */
	double before = values[0];
	for (size_t i = 1; i < middle; i++)
		before = pm_max_double(before, values[i]);

	return (before + values[middle]) / 2;
}

static void measure_pairs(struct pm_curve *curve)
{
	double slopes[PAIRS_MAX];
	size_t count = 0;
	long rising = 0;

	for (size_t i = 0; i < curve->count; i++) {
		for (size_t j = i + 1; j < curve->count; j++) {
			double slope = (curve->values[j] - curve->values[i]) /
			               ((double)(j - i) * curve->step);
			rising += (slope > 0) - (slope < 0);
			slopes[count++] = slope;
		}
	}

	if (count == 0)
		return;

	curve->slope = pm_curve_median(slopes, count);
	curve->agreement = (double)rising / (double)count;
}

void pm_curve_measure(struct pm_curve *curve, const struct pm_series *series, double from)
{
	*curve = (struct pm_curve){ .first = from, .count = moments(series, from) };
	if (curve->count > 1)
		curve->step = (series->last - from) / (double)(curve->count - 1);

	/*
	 * For the last point, do not compute the time: because of rounding, the result could be
	 * after the end of the series.
	 */
	for (size_t i = 0; i + 1 < curve->count; i++)
		curve->values[i] = pm_series_at(series, pm_curve_time(curve, i));
	curve->values[curve->count - 1] = pm_series_at(series, series->last);

	if (curve->step <= 0)
		return;

	measure_heights(curve, series);
	measure_line(curve);
	measure_pairs(curve);
}

size_t pm_curve_flat_head(const struct pm_curve *curve, double bound)
{
	for (size_t i = 1; i < curve->count; i++)
		if (curve->values[i] - curve->values[0] > bound ||
		    curve->values[0] - curve->values[i] > bound)
			return i - 1;

	return curve->count - 1;
}

size_t pm_curve_top(const struct pm_curve *curve, double bound)
{
	double highest = curve->values[0];

	for (size_t i = 1; i < curve->count; i++)
		if (curve->values[i] > highest)
			highest = curve->values[i];

	for (size_t i = 0; i < curve->count; i++)
		if (highest - curve->values[i] <= bound)
			return i;
	return 0;
}

void pm_curve_measure_since_peak(struct pm_curve *curve, const struct pm_series *series,
                                 double from)
{
	double peak = from, highest = pm_series_at(series, from);

	for (size_t i = 0; i < series->count; i++) {
		const struct pm_point *point = &series->points[i];

		if (point->time < from || (double)point->value < highest)
			continue;
		highest = (double)point->value;
		peak = point->time;
	}

	pm_curve_measure(curve, series, peak);
}
