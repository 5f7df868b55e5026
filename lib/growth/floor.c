/* SPDX-License-Identifier: MIT */
/*
 * Finds the cycles of a curve with hysteresis: a fall counts if it is at least half as deep as the
 * deepest one, and ends when the curve has risen by as much again. Smaller movements are noise.
 */
#include "growth/floor.h"

#include "base/minmax.h"

/*
 * Minimum rise of a lowest point above those before, as a share of the rise of the floor. A smaller
 * rise may be noise.
 */
static const double min_rise = 0.02;

/** The lowest points of the cycles. */
struct lows {
	size_t points[PM_CURVE_MAX]; /* indices into the curve, ascending */
	size_t count;
};

static void find_lows(const struct pm_curve *curve, struct lows *lows)
{
	double bound = curve->deepest_fall / 2;
	size_t high = 0, low = 0;
	bool falling = false;

	lows->count = 0;
	if (bound <= 0)
		return;

	for (size_t i = 1; i < curve->count; i++) {
		double value = curve->values[i];

		if (falling && value < curve->values[low])
			low = i;
		if (!falling && value > curve->values[high])
			high = i;

		if (falling && value - curve->values[low] >= bound) {
			lows->points[lows->count++] = low;
			falling = false;
			high = i;
		} else if (!falling && curve->values[high] - value >= bound) {
			falling = true;
			low = i;
		}
	}

	if (falling)
		lows->points[lows->count++] = low;
}

/**
 * Fits a least-squares line through the lowest points.
 * @param lows at least two points
 */
static void fit_line(const struct pm_curve *curve, const struct lows *lows,
                     struct pm_growth_floor *floor)
{
	double time = 0, value = 0, weighted = 0, squares = 0, above = 0, below = 0;

	for (size_t i = 0; i < lows->count; i++) {
		time += (double)lows->points[i] / (double)lows->count;
		value += curve->values[lows->points[i]] / (double)lows->count;
	}

	for (size_t i = 0; i < lows->count; i++) {
		double distance = (double)lows->points[i] - time;

		weighted += distance * (curve->values[lows->points[i]] - value);
		squares += distance * distance;
	}

	double slope = weighted / squares;
	for (size_t i = 0; i < lows->count; i++) {
		double distance = (double)lows->points[i] - time;
		double off = curve->values[lows->points[i]] - value - slope * distance;

		above = pm_max_double(above, off);
		below = pm_min_double(below, off);
	}

	floor->rate = slope / curve->step;
	floor->scatter = above - below;
}

/** Finds out when the floor rose, and how long ago. There is at least one lowest point. */
static void measure_gaps(const struct pm_curve *curve, const struct lows *lows,
                         struct pm_growth_floor *floor)
{
	double mark = curve->values[lows->points[0]], highest = mark, last = 0;

	for (size_t i = 1; i < lows->count; i++)
		highest = pm_max_double(highest, curve->values[lows->points[i]]);

	double least = min_rise * (highest - mark);
	for (size_t i = 0; i < lows->count; i++) {
		double value = curve->values[lows->points[i]];
		double time = curve->step * (double)lows->points[i];

		if (i > 0 && (value <= mark || value - mark < least))
			continue;

		floor->longest_gap = pm_max_double(floor->longest_gap, time - last);
		mark = value;
		last = time;
	}

	floor->rest = pm_curve_span(curve) - last;
}

void pm_growth_floor_measure(const struct pm_curve *curve, struct pm_growth_floor *floor)
{
	struct lows lows;

	*floor = (struct pm_growth_floor){ 0 };
	if (curve->step <= 0)
		return;

	find_lows(curve, &lows);
	floor->cycles = lows.count;
	if (lows.count > 1) {
		fit_line(curve, &lows, floor);
		measure_gaps(curve, &lows, floor);
	}

	for (size_t i = 1; i < lows.count; i++) {
		double step = curve->values[lows.points[i]] - curve->values[lows.points[i - 1]];
		floor->largest_step = pm_max_double(floor->largest_step, step);
	}
}

bool pm_growth_floor_rises(const struct pm_growth_floor *floor, const struct pm_curve *curve)
{
	double span = pm_curve_span(curve), half = curve->range / 2;

	if (floor->rate * span > half)
		return true;
	if (curve->rise <= 0)
		return false;
	if (curve->slope * span > half)
		return true;

	return floor->cycles < PM_FLOOR_MIN_CYCLES && curve->rise > half;
}

enum pm_floor_trend pm_growth_floor_trend(const struct pm_growth_floor *floor,
                                          const struct pm_curve *curve, double change, double least)
{
	double line = floor->rate * pm_curve_span(curve);

	if (floor->cycles < PM_FLOOR_MIN_CYCLES)
		return PM_FLOOR_UNKNOWN;
	if (change > least && line > least)
		return PM_FLOOR_RISES;
	if (pm_max_double(change, -change) > least || pm_max_double(line, -line) > least)
		return PM_FLOOR_UNKNOWN;

	return PM_FLOOR_LEVEL;
}
