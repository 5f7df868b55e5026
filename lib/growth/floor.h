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

#include <stddef.h>

#include "growth/curve.h"

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

#endif
