/* SPDX-License-Identifier: MIT */
/** @file Figures of a curve: a series sampled at even intervals. Private. */
#ifndef PM_GROWTH_CURVE_H
#define PM_GROWTH_CURVE_H

#include <stddef.h>

#include <procmem/series.h>

/** Maximum number of points of a curve. It is small, because all pairs of points are compared. */
enum { PM_CURVE_MAX = 64 };

/** A curve and its figures. */
struct pm_curve {
	size_t count;                /**< number of points, at least 1 */
	double first;                /**< time of the first point, in seconds */
	double step;                 /**< seconds between points */
	double values[PM_CURVE_MAX]; /**< the points */
	double rise;                 /**< last value less first value */
	double range;         /**< highest value less lowest value of the series since `first` */
	double slope;         /**< median of the slopes of all pairs of points, per second */
	double least_squares; /**< slope of the least-squares line, per second */
	double agreement; /**< number of pairs of points that rise less those that fall, divided by
	                     the number of all pairs */
	double largest_step;  /**< largest rise from one point to the next */
	double deepest_fall;  /**< largest fall of the series below an earlier value */
	double highest_climb; /**< largest rise of the series above an earlier value */
};

/**
 * Extreme values of a part of a series. All values of the series count, not only those at the
 * points of a curve: a curve can miss the peaks of a series that rises and falls quickly.
 */
struct pm_curve_extremes {
	double lowest;        /**< lowest value */
	double highest;       /**< highest value */
	double deepest_fall;  /**< largest fall below an earlier value */
	double highest_climb; /**< largest rise above an earlier value */
};

/**
 * Computes the curve of a series from a time on, and fills all figures. The curve has no more
 * points than the series has samples in this time, but at least two; it has one point if the series
 * covers no time.
 *
 * @param curve   filled
 * @param series  a series that is not empty
 * @param from    a time within the series, in seconds
 */
void pm_curve_measure(struct pm_curve *curve, const struct pm_series *series, double from);

/**
 * Computes the curve of a series from its highest value on, or from the last of several such
 * values.
 *
 * @param curve   filled
 * @param series  a series that is not empty
 * @param from    a time within the series, in seconds; values before it do not count
 */
void pm_curve_measure_since_peak(struct pm_curve *curve, const struct pm_series *series,
                                 double from);

/** Returns the seconds from the first point to the last. */
static inline double pm_curve_span(const struct pm_curve *curve)
{
	return curve->count > 1 ? curve->step * (double)(curve->count - 1) : 0;
}

/** Returns the time of a point, in seconds. */
static inline double pm_curve_time(const struct pm_curve *curve, size_t index)
{
	return curve->first + curve->step * (double)index;
}

/**
 * Finds the extreme values of a part of a series.
 *
 * @param series  a series that is not empty
 * @param from    start of the part in seconds, within the series
 * @param until   end of the part in seconds, not before `from`
 */
struct pm_curve_extremes pm_curve_extremes(const struct pm_series *series, double from,
                                           double until);

/**
 * Finds the end of the flat start of a curve: the point before the first point whose value differs
 * from that of point 0 by more than a bound.
 *
 * @param curve  the curve
 * @param bound  the bound
 * @return       the index of the point; that of the last point if no value differs by more than the
 *               bound
 */
size_t pm_curve_flat_head(const struct pm_curve *curve, double bound);

/**
 * Finds the first point whose value is close to the highest value.
 *
 * @param curve  the curve
 * @param bound  difference from the highest value that counts as close
 * @return       the index of the point
 */
size_t pm_curve_top(const struct pm_curve *curve, double bound);

/**
 * Returns the median of some values.
 *
 * @param values  the values, none of them NaN; reordered by this function
 * @param count   number of values, at least 1
 */
double pm_curve_median(double *values, size_t count);

#endif
