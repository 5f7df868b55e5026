/* SPDX-License-Identifier: MIT */
/** @file Compares independent estimates of a rate of growth. Private. */
#ifndef PM_GROWTH_RATES_H
#define PM_GROWTH_RATES_H

#include <stdbool.h>

#include "growth/curve.h"
#include "growth/floor.h"

enum {
	/** Minimum number of growth events, or of cycles of rise and fall, for a rate. */
	PM_GROWTH_MIN_EVENTS = 5,
	/**
	 * Maximum time between two events, as a multiple of the mean time. After a rest of as many
	 * times the longest gap, growth has ended.
	 */
	PM_GROWTH_MAX_GAP = 3,
};

/**
 * Checks whether two rates are positive and differ by no more than the allowed factor.
 *
 * @param one    a rate, per second
 * @param other  another rate, per second
 * @return       true or false
 */
bool pm_growth_rates_agree(double one, double other);

/**
 * Returns the slope from the first point of a curve to the last, per second.
 * @param curve  a curve with at least two points
 */
double pm_growth_rates_whole(const struct pm_curve *curve);

/**
 * Checks whether growth has ended: the next growth is long overdue.
 *
 * @param rest         time since the last growth, in seconds
 * @param longest_gap  longest time without growth before, in seconds
 * @return             true or false
 */
bool pm_growth_rates_ended(double rest, double longest_gap);

/**
 * Checks whether a rate agrees with all estimates that a curve gives.
 *
 * @param curve  a curve with at least two points
 * @param rate   the rate, per second
 * @return       true or false
 */
bool pm_growth_rates_all_agree(const struct pm_curve *curve, double rate);

/**
 * Checks whether the floor of a sawtooth rises for sure, at the rate that all points together show.
 *
 * @param curve  the sawtooth
 * @param floor  floor of the curve
 * @return       true or false
 */
bool pm_growth_rates_floor_is_steady(const struct pm_curve *curve,
                                     const struct pm_growth_floor *floor);

#endif
