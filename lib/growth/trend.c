/* SPDX-License-Identifier: MIT */
/*
 * Derives a verdict from the curve of a series. A leak is a curve that keeps rising: the later
 * point is the higher one in most pairs of points, the curve never falls back far, no single step
 * makes up most of the growth, and the end is not flat. The thresholds were chosen with the curves
 * of tests/unit/growth/trend_test.c.
 */
#include <procmem/trend.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <procmem/number.h>

#include "growth/curve.h"

/* Minimum number of samples, and minimum time in seconds, for a verdict. */
enum { MIN_SAMPLES = 5 };
static const double min_seconds = 10;

/*
 * Minimum change of a size that counts, in bytes. Smaller changes are normal: for example, a thread
 * touches another page of its stack.
 */
static const double min_bytes = 32 * 1024;

/* A change up to this share of the range of the curve counts as flat. */
static const double flat_share = 0.05;

/*
 * Thresholds of a trend: the minimum agreement (pm_curve.agreement); the maximum fall, as a share
 * of the range; the size of a single step, as a share of the rise, from which the growth counts as
 * a burst.
 */
static const double min_agreement = 0.6, max_fall = 0.3, max_step = 0.6;

const char *pm_verdict_name(enum pm_verdict verdict)
{
	static const char *const names[PM_VERDICT_COUNT] = { "too early", "steady",    "burst",
		                                             "plateau",   "shrinking", "uneven" };
	return (unsigned)verdict < PM_VERDICT_COUNT ? names[verdict] : "";
}

/** The data for a verdict. */
struct judging {
	const struct pm_series *series;
	enum pm_trend_unit unit;
	/* the series from its first change on; before judge_whole(), the whole series */
	struct pm_curve curve;
	struct pm_trend *trend;
};

/**
 * Formats the amount of a change without its sign: a size such as `40.0M`, or a number.
 * @return `text`, which has room for PM_SIZE_TEXT_SIZE bytes
 */
static const char *amount(const struct judging *judging, double value, char *text)
{
	if (value < 0)
		value = -value;

	if (judging->unit == PM_TREND_BYTES)
		pm_format_size((uint64_t)(value + 0.5), text);
	else
		snprintf(text, PM_SIZE_TEXT_SIZE, "%.0f", value);
	return text;
}

static void conclude(struct judging *judging, enum pm_verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void conclude(struct judging *judging, enum pm_verdict verdict, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(judging->trend->reason, sizeof judging->trend->reason, format, arguments);
	va_end(arguments);
	judging->trend->verdict = verdict;
}

/**
 * Returns the longest time between two steps up on the way to the point `top`, in seconds. If a
 * leak grows in steps, the time since its last step is not much longer than this.
 * @param flat  minimum height of a step
 */
static double longest_rest(const struct pm_curve *curve, size_t top, double flat)
{
	double longest = 0, began = 0;

	for (size_t i = 1; i <= top; i++)
		if (curve->values[i] - curve->values[i - 1] > flat) {
			double rest = curve->step * (double)(i - 1) - began;

			if (rest > longest)
				longest = rest;
			began = curve->step * (double)i;
		}
	return longest;
}

/**
 * Judges a curve that rose and then stayed at its height: the verdict is a burst or a plateau.
 * @return false, without a verdict, if the end of the curve is not flat for long enough
 */
static bool judge_flat_end(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	double flat = flat_share * curve->range, span = pm_curve_span(curve);
	size_t top = pm_curve_top(curve, flat);
	double climbing = curve->step * (double)top, since = span - climbing;

	if (curve->rise <= flat || pm_curve_range_from(curve, top) > 2 * flat || since < span / 3 ||
	    since < min_seconds / 2)
		return false;

	if (since < 1.5 * longest_rest(curve, top, flat))
		return false;

	char rise[PM_SIZE_TEXT_SIZE];
	char duration[PM_DURATION_TEXT_SIZE], rested[PM_DURATION_TEXT_SIZE];
	bool at_once = climbing <= span / 4 || curve->largest_step >= max_step * curve->rise;

	amount(judging, curve->rise, rise);
	pm_format_duration(climbing, duration);
	pm_format_duration(since, rested);
	conclude(judging, at_once ? PM_VERDICT_BURST : PM_VERDICT_PLATEAU,
	         "grew by %s within %s, but not in the %s since then", rise, duration, rested);

	return true;
}

/**
 * Judges a curve that rose, but not evenly: the verdict is too early, a burst if one step makes up
 * most of the rise, or uneven.
 */
static void judge_uneven(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	char size[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];
	double span = pm_curve_span(curve);
	double since = span - curve->step * (double)pm_curve_top(curve, flat_share * curve->range);

	pm_format_duration(span, duration);
	amount(judging, curve->range, size);

	if (curve->count < MIN_SAMPLES || span < min_seconds)
		conclude(judging, PM_VERDICT_TOO_EARLY, "rose by up to %s, but only in the last %s",
		         size, duration);
	else if (curve->largest_step >= max_step * curve->range &&
	         curve->deepest_fall <= max_fall * curve->range && since >= min_seconds / 2)
		conclude(judging, PM_VERDICT_BURST, "grew by %s, mostly at once",
		         amount(judging, curve->rise, size));
	else
		conclude(judging, PM_VERDICT_UNEVEN, "rises, but unevenly: by up to %s in %s", size,
		         duration);
}

/**
 * Judges a curve that rises without falling back far: the verdict is too early, a burst if one step
 * makes up most of the rise, or steady.
 */
static void judge_rise(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	char rise[PM_SIZE_TEXT_SIZE], fall[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];
	double span = pm_curve_span(curve);

	amount(judging, curve->rise, rise);
	amount(judging, curve->deepest_fall, fall);
	pm_format_duration(span, duration);

	if (curve->count < MIN_SAMPLES || span < min_seconds)
		conclude(judging, PM_VERDICT_TOO_EARLY, "grew by %s, but only in the last %s", rise,
		         duration);
	else if (curve->largest_step >= max_step * curve->rise)
		conclude(judging, PM_VERDICT_BURST, "grew by %s, mostly at once", rise);
	else if (curve->deepest_fall > 0)
		conclude(judging, PM_VERDICT_STEADY, "grew by %s in %s, falling back by at most %s",
		         rise, duration, fall);
	else
		conclude(judging, PM_VERDICT_STEADY, "grew by %s in %s, without falling back", rise,
		         duration);
}

static void judge_slope(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	char size[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];
	double span = pm_curve_span(curve), expected = curve->slope * span;

	if (curve->agreement >= min_agreement && curve->rise > 0 &&
	    curve->deepest_fall <= max_fall * curve->range) {
		judge_rise(judging);
	} else if (curve->agreement <= -min_agreement && curve->rise < 0 &&
	           curve->highest_climb <= max_fall * curve->range) {
		pm_format_duration(span, duration);
		conclude(judging, PM_VERDICT_SHRINKING, "fell by %s in %s",
		         amount(judging, curve->rise, size), duration);
	} else if (expected > curve->range / 2 || curve->rise > curve->range / 2) {
		judge_uneven(judging);
	} else {
		conclude(judging, PM_VERDICT_PLATEAU, "rises and falls by up to %s without a trend",
		         amount(judging, curve->range, size));
	}
}

/**
 * Judges a series that is too short or hardly changes.
 * @return true if there is a verdict; false if neither holds: then judge the curve from its first
 *         change on
 */
static bool judge_whole(struct judging *judging)
{
	const struct pm_series *series = judging->series;
	const struct pm_curve *curve = &judging->curve;
	char duration[PM_DURATION_TEXT_SIZE], size[PM_SIZE_TEXT_SIZE];
	double span = pm_curve_span(curve);
	double min = judging->unit == PM_TREND_BYTES ? min_bytes : 0;

	pm_format_duration(span, duration);
	if (series->samples < MIN_SAMPLES || span < min_seconds)
		conclude(judging, PM_VERDICT_TOO_EARLY,
		         "seen for %s in %llu sample%s; needs %.0fs and %d samples", duration,
		         (unsigned long long)series->samples, series->samples == 1 ? "" : "s",
		         min_seconds, MIN_SAMPLES);
	else if (curve->range == 0)
		conclude(judging, PM_VERDICT_PLATEAU, "has not changed for %s", duration);
	else if (curve->range < min)
		conclude(judging, PM_VERDICT_PLATEAU, "changed by no more than %s in %s",
		         amount(judging, curve->range, size), duration);
	else
		return false;

	return true;
}

void pm_trend_judge(const struct pm_series *series, enum pm_trend_unit unit, struct pm_trend *trend)
{
	struct judging judging = { .series = series, .unit = unit, .trend = trend };
	struct pm_curve *curve = &judging.curve;

	*trend = (struct pm_trend){ 0 };
	if (series->count == 0) {
		conclude(&judging, PM_VERDICT_TOO_EARLY, "not seen yet");
		return;
	}

	trend->began = series->points[0].time;
	pm_curve_measure(curve, series, trend->began);

	if (!judge_whole(&judging)) {
		size_t head = pm_curve_flat_head(curve, flat_share / 2 * curve->range);

		trend->began += curve->step * (double)head;
		pm_curve_measure(curve, series, trend->began);
		if (!judge_flat_end(&judging))
			judge_slope(&judging);
	}

	trend->rate = curve->slope;
	trend->least_squares = curve->least_squares;
	trend->agreement = curve->agreement;
}
