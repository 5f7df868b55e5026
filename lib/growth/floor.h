/* SPDX-License-Identifier: MIT */
/**
 * @file The floor of a curve that falls again and again: the line through the lowest points of its
 * cycles. Private.
 *
 * The memory of a program with a garbage collector or a cache rises and falls. A leak beneath such
 * a sawtooth shows in its floor, not in its slope.
 */
#ifndef PM_GROWTH_FLOOR_H
#define PM_GROWTH_FLOOR_H

#include <stdbool.h>
#include <stddef.h>

#include "growth/curve.h"

/** Minimum number of cycles of rise and fall that show a level. */
enum { PM_FLOOR_MIN_CYCLES = 2 };

/** How the floor of a curve develops. */
enum pm_floor_trend {
	PM_FLOOR_LEVEL,   /**< no change was seen */
	PM_FLOOR_RISES,   /**< seems to rise: two estimates show it */
	PM_FLOOR_UNKNOWN, /**< falls, or the estimates differ, or there are too few cycles */
};

/** The floor of a curve. Heights are in the unit of the series. */
struct pm_growth_floor {
	size_t cycles; /**< number of falls of at least half the deepest fall, each after a rise of
	                  as much */
	double rate;   /**< slope of the line through the lowest points of the cycles, per second; 0
	                  with fewer than two cycles */
	double scatter;      /**< height of the band around this line that has all these points */
	double largest_step; /**< largest rise from one of these points to the next */
	double longest_gap;  /**< longest time between two of these points that are higher than all
	                        before. The time until the first one counts as a gap, too */
	double rest;         /**< time since the last of them */
};

/**
 * Measures the floor of a curve.
 * @param curve  as filled by pm_curve_measure()
 * @param floor  filled
 */
void pm_growth_floor_measure(const struct pm_curve *curve, struct pm_growth_floor *floor);

/**
 * Checks whether a curve rises by more than half its range, on the whole. With several cycles, the
 * difference of the first and the last value does not count: it depends on the moments at which the
 * observation began and ended. A curve that ends below its start rises only if its floor does.
 */
bool pm_growth_floor_rises(const struct pm_growth_floor *floor, const struct pm_curve *curve);

/**
 * Compares two estimates of the change of a floor: the line through the lowest points, and the
 * lowest values of both halves of the time.
 *
 * @param floor   the floor of the curve
 * @param curve   the curve
 * @param change  lowest value of the second half of the series less that of the first half
 * @param least   minimum change that counts
 */
enum pm_floor_trend pm_growth_floor_trend(const struct pm_growth_floor *floor,
                                          const struct pm_curve *curve, double change,
                                          double least);

#endif
