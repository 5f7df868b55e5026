/* SPDX-License-Identifier: MIT */
/** @file Figures of a curve that was measured at even times. Private. */
#ifndef PM_GROWTH_CURVE_H
#define PM_GROWTH_CURVE_H

#include <stddef.h>

#include <procmem/trend.h>

/** Most moments of a curve: all pairs of them are looked at. */
enum { PM_CURVE_MAX = 64 };

/** A curve, and what can be said of it. */
struct pm_curve {
	size_t count; /**< moments */
	double first; /**< time of the first */
	double step;  /**< seconds from one to the next */
	double values[PM_CURVE_MAX];
	double rise;          /**< last value less first */
	double range;         /**< highest value less lowest */
	double slope;         /**< median of the slopes of all pairs */
	double least_squares; /**< slope of the least-squares line */
	double agreement;     /**< rising pairs less falling ones, as a share of all pairs */
	double largest_step;  /**< most that it rose from one moment to the next */
	double deepest_fall;  /**< most that it fell below its highest value before */
	double highest_climb; /**< most that it rose above its lowest value before */
};

/**
 * Measures a series from a time on, at no more moments than it has samples, and fills all figures.
 * @param from a time within the series
 */
void pm_curve_measure(struct pm_curve *curve, const struct pm_series *series, double from);

/** Seconds from the first moment to the last. */
static inline double pm_curve_span(const struct pm_curve *curve)
{
	return curve->count > 1 ? curve->step * (double)(curve->count - 1) : 0;
}

/**
 * Highest less lowest value from a moment on.
 * @param index the moment
 */
double pm_curve_range_from(const struct pm_curve *curve, size_t index);

/**
 * The last moment before the values differ from the first one by more than a bound.
 * @return an index; the last one where they never do
 */
size_t pm_curve_flat_head(const struct pm_curve *curve, double bound);

/**
 * The first moment at which it was nearly as high as it ever came.
 * @param bound what counts as nearly
 * @return an index
 */
size_t pm_curve_top(const struct pm_curve *curve, double bound);

#endif
