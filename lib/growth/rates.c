/* SPDX-License-Identifier: MIT */
#include "growth/rates.h"

/* Maximum factor between two estimates of a rate. */
static const double max_factor = 1.5;

/*
 * The floor rises for sure if its rise is at least this many times the deepest fall, and this many
 * times the scatter of its points, and if no step has more than this share of its rise.
 */
static const double floor_falls = 3, floor_scatters = 5, max_floor_step = 0.45;

bool pm_growth_rates_agree(double one, double other)
{
	return one > 0 && other > 0 && one <= other * max_factor && other <= one * max_factor;
}

double pm_growth_rates_whole(const struct pm_curve *curve)
{
	return curve->rise / pm_curve_span(curve);
}

/**
 * Returns the slope of the second half, per second. Growth that slows down or becomes faster has
 * another slope there than on the whole.
 */
static double late_slope(const struct pm_curve *curve)
{
	size_t last = curve->count - 1, middle = last / 2;

	return (curve->values[last] - curve->values[middle]) /
	       (curve->step * (double)(last - middle));
}

bool pm_growth_rates_ended(double rest, double longest_gap)
{
	return rest > PM_GROWTH_MAX_GAP * longest_gap;
}

bool pm_growth_rates_all_agree(const struct pm_curve *curve, double rate)
{
	return pm_growth_rates_agree(rate, curve->slope) &&
	       pm_growth_rates_agree(rate, curve->least_squares) &&
	       pm_growth_rates_agree(rate, pm_growth_rates_whole(curve)) &&
	       pm_growth_rates_agree(rate, late_slope(curve));
}

bool pm_growth_rates_floor_is_steady(const struct pm_curve *curve,
                                     const struct pm_growth_floor *floor)
{
	double rise = floor->rate * pm_curve_span(curve);

	if (floor->cycles < PM_GROWTH_MIN_EVENTS || rise < floor_falls * curve->deepest_fall ||
	    rise < floor_scatters * floor->scatter || floor->largest_step > max_floor_step * rise ||
	    pm_growth_rates_ended(floor->rest, floor->longest_gap))
		return false;

	return pm_growth_rates_agree(floor->rate, curve->slope) &&
	       pm_growth_rates_agree(floor->rate, curve->least_squares);
}
