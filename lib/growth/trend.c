/* SPDX-License-Identifier: MIT */
/*
 * From a curve to a verdict. A leak is told from everything else by going on: nearly all pairs of
 * moments rise, it never falls back far, no single step makes up the growth, and its end is not
 * flat. Thresholds were chosen on the curves of tests/unit/trend_test.c.
 */
#include <procmem/trend.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <procmem/number.h>

#include "growth/curve.h"

/* Less than this is no ground for a verdict. */
enum { MIN_SAMPLES = 5 };
static const double min_seconds = 10;

/* Changes below this say nothing of sizes: a thread touched another page of its stack. */
static const double min_bytes = 32 * 1024;

/* What counts as flat, as a share of the whole range. */
static const double flat_share = 0.05;

/* Pairs that must agree, a fall that is too deep for a trend, and a step too large, as shares. */
static const double agreeing = 0.6, too_deep = 0.3, one_step = 0.6;

const char *pm_verdict_name(enum pm_verdict verdict)
{
	static const char *const names[PM_VERDICT_COUNT] = { "too early", "steady",    "burst",
		                                             "plateau",   "shrinking", "uneven" };
	return (unsigned)verdict < PM_VERDICT_COUNT ? names[verdict] : "";
}

/** What a verdict is made from. */
struct judging {
	const struct pm_series *series;
	enum pm_trend_unit unit;
	struct pm_curve curve; /* since it began to change */
	struct pm_trend *trend;
};

/** An amount in words: `40.0M`, or a number. */
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

/** It came to its height and stayed there: in one go, or slowly. */
static bool judge_flat_end(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	double flat = flat_share * curve->range, span = pm_curve_span(curve);
	size_t top = pm_curve_top(curve, flat);
	double climbing = curve->step * (double)top, since = span - climbing;

	if (curve->rise <= flat || pm_curve_range_from(curve, top) > 2 * flat || since < span / 3 ||
	    since < min_seconds / 2)
		return false;

	char how_much[PM_SIZE_TEXT_SIZE], how_long[PM_DURATION_TEXT_SIZE],
		rested[PM_DURATION_TEXT_SIZE];
	amount(judging, curve->rise, how_much);
	pm_format_duration(climbing, how_long);
	pm_format_duration(since, rested);

	/* Steps of a leak come again: only a rest longer than those before ends it. */
	double longest_rest = 0, begin = 0;
	for (size_t i = 1; i <= top; i++)
		if (curve->values[i] - curve->values[i - 1] > flat) {
			double rest = curve->step * (double)(i - 1) - begin;
			longest_rest = rest > longest_rest ? rest : longest_rest;
			begin = curve->step * (double)i;
		}

	if (since < 1.5 * longest_rest)
		return false;

	bool at_once = climbing <= span / 4 || curve->largest_step >= one_step * curve->rise;
	conclude(judging, at_once ? PM_VERDICT_BURST : PM_VERDICT_PLATEAU,
	         "grew by %s within %s, no more for %s", how_much, how_long, rested);

	return true;
}

/** It rose, but not evenly: by one jump, or nobody knows. */
static void judge_uneven(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	char how_much[PM_SIZE_TEXT_SIZE], how_long[PM_DURATION_TEXT_SIZE];
	double span = pm_curve_span(curve),
	       since = span - curve->step * (double)pm_curve_top(curve, flat_share * curve->range);

	pm_format_duration(span, how_long);
	amount(judging, curve->range, how_much);
	if (curve->count < MIN_SAMPLES || span < min_seconds)
		conclude(judging, PM_VERDICT_TOO_EARLY, "rose by up to %s; began only %s ago",
		         how_much, how_long);
	else if (curve->largest_step >= one_step * curve->range &&
	         curve->deepest_fall <= too_deep * curve->range && since >= min_seconds / 2)
		conclude(judging, PM_VERDICT_BURST, "grew by %s, mostly at once",
		         amount(judging, curve->rise, how_much));
	else
		conclude(judging, PM_VERDICT_UNEVEN, "rises, but unevenly: by up to %s in %s",
		         how_much, how_long);
}

static void judge_slope(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	char how_much[PM_SIZE_TEXT_SIZE], how_long[PM_DURATION_TEXT_SIZE];
	double span = pm_curve_span(curve), expected = curve->slope * span;
	pm_format_duration(span, how_long);

	if (curve->agreement >= agreeing && curve->rise > 0 &&
	    curve->deepest_fall <= too_deep * curve->range) {
		amount(judging, curve->rise, how_much);
		if (curve->count < MIN_SAMPLES || span < min_seconds)
			conclude(judging, PM_VERDICT_TOO_EARLY, "grew by %s; began only %s ago",
			         how_much, how_long);
		else if (curve->largest_step >= one_step * curve->rise)
			conclude(judging, PM_VERDICT_BURST, "grew by %s, mostly at once", how_much);
		else if (curve->deepest_fall > 0) {
			char fall[PM_SIZE_TEXT_SIZE];
			amount(judging, curve->deepest_fall, fall);
			conclude(judging, PM_VERDICT_STEADY,
			         "grew by %s in %s, falling back by %s at the most", how_much,
			         how_long, fall);
		} else
			conclude(judging, PM_VERDICT_STEADY,
			         "grew by %s in %s, without falling back", how_much, how_long);
	} else if (curve->agreement <= -agreeing && curve->rise < 0 &&
	           curve->highest_climb <= too_deep * curve->range) {
		conclude(judging, PM_VERDICT_SHRINKING, "fell by %s in %s",
		         amount(judging, curve->rise, how_much), how_long);
	} else if (expected > curve->range / 2 || curve->rise > curve->range / 2) {
		judge_uneven(judging);
	} else {
		conclude(judging, PM_VERDICT_PLATEAU, "rises and falls by up to %s without a trend",
		         amount(judging, curve->range, how_much));
	}
}

void pm_trend_judge(const struct pm_series *series, enum pm_trend_unit unit, struct pm_trend *trend)
{
	struct judging judging = { .series = series, .unit = unit, .trend = trend };
	struct pm_curve *curve = &judging.curve;
	char text[PM_DURATION_TEXT_SIZE], size[PM_SIZE_TEXT_SIZE];

	*trend = (struct pm_trend){ 0 };
	if (series->count == 0) {
		conclude(&judging, PM_VERDICT_TOO_EARLY, "not seen yet");
		return;
	}

	trend->began = series->points[0].time;
	pm_curve_measure(curve, series, trend->began);

	double seen = pm_curve_span(curve), least = unit == PM_TREND_BYTES ? min_bytes : 0,
	       whole_range = curve->range;
	pm_format_duration(seen, text);

	if (series->samples < MIN_SAMPLES || seen < min_seconds) {
		conclude(&judging, PM_VERDICT_TOO_EARLY,
		         "seen for %s in %llu sample%s; needs %.0fs and %d samples", text,
		         (unsigned long long)series->samples, series->samples == 1 ? "" : "s",
		         min_seconds, MIN_SAMPLES);
	} else if (whole_range == 0) {
		conclude(&judging, PM_VERDICT_PLATEAU, "has not changed for %s", text);
	} else if (whole_range < least) {
		conclude(&judging, PM_VERDICT_PLATEAU, "changed by no more than %s in %s",
		         amount(&judging, whole_range, size), text);
	} else {
		trend->began += curve->step *
		                (double)pm_curve_flat_head(curve, flat_share / 2 * whole_range);
		pm_curve_measure(curve, series, trend->began);
		if (!judge_flat_end(&judging))
			judge_slope(&judging);
	}

	trend->rate = curve->slope;
	trend->least_squares = curve->least_squares;
	trend->agreement = curve->agreement;
}
