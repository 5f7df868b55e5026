/* SPDX-License-Identifier: MIT */
/*
 * Derives a verdict from the curve of a series. A leak is a curve that reaches new heights again
 * and again, in gaps and steps that are alike. A curve that falls back far is judged by its floor:
 * the lowest points of its cycles. A rate is reported only if independent estimates of it agree.
 *
 * The thresholds were chosen with the curves of tests/unit/growth/trend_test.c and
 * rate_property_test.c. The second one checks that no rate is reported that is wrong by more than a
 * factor of 1.5.
 */
#include <procmem/trend.h>

#include <stdarg.h>
#include <stdio.h>

#include <procmem/number.h>

#include "base/minmax.h"
#include "growth/curve.h"
#include "growth/events.h"
#include "growth/floor.h"
#include "growth/rates.h"

/* Minimum number of samples, and usual minimum time in seconds, for a verdict. */
enum { MIN_SAMPLES = 5 };
static const double usual_seconds = 10;

/*
 * Minimum change of a size that counts, in bytes. Smaller changes are normal: for example, a thread
 * touches another page of its stack.
 */
static const double min_bytes = 32 * 1024;

/* Sizes above this value are formatted as this value: 2^64 does not fit into an integer. */
static const double max_size = 1e19;

/* A change up to this share of the range of the curve counts as flat. */
static const double flat_share = 0.05;

/*
 * In a series that is shorter than this, in seconds, a single step is a burst only if the time
 * since the step is at least `PM_GROWTH_MAX_GAP` times the time before it.
 */
static const double short_series = 60;

/* Steps that are lower than this share of the largest step are ignored in growth by steps. */
static const double large_share = 0.25;

/* Minimum rest after the last large step, as a share of the whole time, for a verdict on the rest.
 */
static const double min_rest = 0.25;

/*
 * Thresholds of a trend: the minimum agreement (pm_curve.agreement); the maximum fall, as a share
 * of the range; the size of a single step, as a share of the rise, from which the growth counts as
 * a burst.
 */
static const double min_agreement = 0.6, max_fall = 0.3, burst_step = 0.6;

const char *pm_verdict_name(enum pm_verdict verdict)
{
	static const char *const names[PM_VERDICT_COUNT] = {
		"too early", "steady",    "steps",     "burst",
		"plateau",   "no growth", "shrinking", "uneven",
	};
	return (unsigned)verdict < PM_VERDICT_COUNT ? names[verdict] : "";
}

/** The data for a verdict. */
struct judging {
	const struct pm_series *series;
	enum pm_trend_unit unit;
	double min_seconds; /* minimum time for a verdict */
	/* the series from its first change on; before judge_whole(), the whole series */
	struct pm_curve curve;
	double began; /* start of the part of the series that is judged */
	/* The following are those of the curve, after judge_whole(). */
	struct pm_growth_events events; /* all events */
	struct pm_growth_events steps;  /* the large ones: without those below `large_share` */
	struct pm_growth_floor floor;
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

	/* Rates of counts are often below one per second. */
	int digits = value < 9.95 && value != (double)(long)value;

	if (judging->unit == PM_TREND_BYTES)
		pm_format_size((uint64_t)(pm_min_double(value, max_size) + 0.5), text);
	else
		snprintf(text, PM_SIZE_TEXT_SIZE, "%.*f", digits, value);
	return text;
}

/**
 * Returns the words before the duration of the curve: "the last " if the series is clearly longer
 * than the curve, because growth began late.
 */
static const char *last_words(const struct judging *judging)
{
	const struct pm_series *series = judging->series;
	double before = judging->curve.first - series->points[0].time;

	return before > flat_share * (series->last - series->points[0].time) ? "the last " : "";
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

/** Returns the minimum range of a curve that counts as a change. */
static double min_range(const struct judging *judging)
{
	return judging->unit == PM_TREND_BYTES ? min_bytes : 1;
}

/** Checks whether the curve falls back so far that its floor is judged, not its events. */
static bool is_sawtooth(const struct pm_curve *curve)
{
	return curve->deepest_fall > flat_share * curve->range;
}

/**
 * Checks whether a single step was observed for too short a time to be called a burst. A process
 * that grows in rare steps looks the same between its first step and its second.
 */
static bool is_lone_step(const struct judging *judging)
{
	const struct pm_series *series = judging->series;
	const struct pm_growth_events *steps = &judging->steps;
	double span = series->last - judging->began;
	double interval = (series->last - series->points[0].time) / (double)(series->samples - 1);

	/* A step that is caught half-way is seen in two samples. */
	if (span >= short_series || steps->count == 0 || steps->last - steps->first > 2 * interval)
		return false;

	return steps->rest < PM_GROWTH_MAX_GAP * (judging->trend->began - judging->began);
}

/** Judges a single step for which is_lone_step() is true. */
static void judge_lone_step(struct judging *judging)
{
	char rise[PM_SIZE_TEXT_SIZE], rested[PM_DURATION_TEXT_SIZE];

	amount(judging, judging->curve.rise, rise);
	pm_format_duration(judging->steps.rest, rested);
	conclude(judging, PM_VERDICT_TOO_EARLY, "grew by %s in one step, only %s ago", rise,
	         rested);
}

/**
 * Judges a curve that rose and then stayed at its height: the verdict is a burst, a plateau,
 * or too early.
 * @return false, without a verdict, if the end of the curve is not flat for long enough
 */
static bool judge_flat_end(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	double flat = flat_share * curve->range, span = pm_curve_span(curve);
	size_t top = pm_curve_top(curve, flat);
	double climbing = curve->step * (double)top, rest = span - climbing;

	const struct pm_curve_extremes end = pm_curve_extremes(
		judging->series, pm_curve_time(curve, top), judging->series->last);
	if (curve->rise <= flat || end.highest - end.lowest > 2 * flat)
		return false;
	if (pm_growth_rates_ended(judging->events.rest, judging->events.longest_gap))
		rest = judging->events.rest;
	else if (rest < min_rest * span || rest < PM_GROWTH_MAX_GAP * judging->events.longest_gap)
		return false;
	if (rest < judging->min_seconds / 2)
		return false;

	if (is_lone_step(judging)) {
		judge_lone_step(judging);
		return true;
	}

	char rise[PM_SIZE_TEXT_SIZE];
	char duration[PM_DURATION_TEXT_SIZE], rested[PM_DURATION_TEXT_SIZE];
	bool at_once = climbing <= span / 4 || curve->largest_step >= burst_step * curve->rise;

	amount(judging, curve->rise, rise);
	pm_format_duration(span - rest, duration);
	pm_format_duration(rest, rested);
	conclude(judging, at_once ? PM_VERDICT_BURST : PM_VERDICT_PLATEAU,
	         "grew by %s within %s, no more for %s", rise, duration, rested);

	return true;
}

/**
 * Judges growth in steps that are few or irregular: there is no rate, only an estimate.
 * @return false, without a verdict, if there are fewer than two steps, if there are many and the
 *         estimates of the rate do not agree, if one step makes up most of the rise, or if the next
 *         one is long overdue
 */
static bool judge_steps(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	const struct pm_growth_events *events = &judging->steps;
	struct pm_trend *trend = judging->trend;
	char step[PM_SIZE_TEXT_SIZE], rate[PM_SIZE_TEXT_SIZE];

	if (is_sawtooth(curve) || events->count < 2 ||
	    events->largest >= burst_step * curve->rise ||
	    pm_growth_rates_ended(events->rest, events->longest_gap))
		return false;
	if (events->count >= PM_GROWTH_MANY_EVENTS &&
	    !pm_growth_rates_all_agree(&judging->curve, judging->events.rate))
		return false;

	trend->estimate = true;
	trend->estimated_rate = events->rate;
	trend->step = events->step;
	conclude(judging, PM_VERDICT_STEPS, "grows in steps of %s, about %s/s",
	         amount(judging, events->step, step), amount(judging, events->rate, rate));
	return true;
}

/** Judges a curve of whose rise one step makes up most: the verdict is a burst or too early. */
static void judge_one_step(struct judging *judging)
{
	char rise[PM_SIZE_TEXT_SIZE];

	if (is_lone_step(judging))
		judge_lone_step(judging);
	else
		conclude(judging, PM_VERDICT_BURST, "grew by %s, mostly in one step",
		         amount(judging, judging->curve.rise, rise));
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
	double rest = span - curve->step * (double)pm_curve_top(curve, flat_share * curve->range);

	pm_format_duration(span, duration);
	amount(judging, curve->range, size);

	if (curve->count < MIN_SAMPLES || span < judging->min_seconds)
		conclude(judging, PM_VERDICT_TOO_EARLY, "rose by up to %s, but only in the last %s",
		         size, duration);
	else if (curve->largest_step >= burst_step * curve->range &&
	         curve->deepest_fall <= max_fall * curve->range && rest >= judging->min_seconds / 2)
		judge_one_step(judging);
	else
		conclude(judging, PM_VERDICT_UNEVEN, "rises, but unevenly: by up to %s in %s%s",
		         size, last_words(judging), duration);
}

/** Judges a curve that rises steadily without falling back far. */
static void judge_steady(struct judging *judging, double rate)
{
	const struct pm_curve *curve = &judging->curve;
	char rise[PM_SIZE_TEXT_SIZE], fall[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];

	amount(judging, curve->rise, rise);
	amount(judging, curve->deepest_fall, fall);
	pm_format_duration(pm_curve_span(curve), duration);

	judging->trend->rate = rate;
	if (curve->deepest_fall > 0)
		conclude(judging, PM_VERDICT_STEADY,
		         "grew by %s in %s%s, falling back by at most %s", rise,
		         last_words(judging), duration, fall);
	else
		conclude(judging, PM_VERDICT_STEADY, "grew by %s in %s%s, without falling back",
		         rise, last_words(judging), duration);
}

/** Judges a sawtooth whose floor rises steadily. */
static void judge_rising_floor(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	double rate = judging->floor.rate, span = pm_curve_span(curve);
	char fall[PM_SIZE_TEXT_SIZE], rise[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];

	amount(judging, curve->deepest_fall, fall);
	amount(judging, rate * span, rise);
	pm_format_duration(span, duration);

	judging->trend->rate = rate;
	conclude(judging, PM_VERDICT_STEADY,
	         "rises and falls by up to %s; its floor grew by %s in %s%s", fall, rise,
	         last_words(judging), duration);
}

/**
 * Judges a curve that rises without falling back far: the verdict is too early, a burst if one step
 * makes up most of the rise, steady, steps, or uneven.
 */
static void judge_rise(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	char rise[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];
	double span = pm_curve_span(curve);

	amount(judging, curve->rise, rise);
	pm_format_duration(span, duration);

	if (curve->count < MIN_SAMPLES || span < judging->min_seconds)
		conclude(judging, PM_VERDICT_TOO_EARLY, "grew by %s, but only in the last %s", rise,
		         duration);
	else if (curve->largest_step >= burst_step * curve->rise &&
	         judging->events.rest >= judging->min_seconds / 2)
		judge_one_step(judging);
	else if (is_sawtooth(curve) &&
	         pm_growth_rates_floor_is_steady(&judging->curve, &judging->floor))
		judge_rising_floor(judging);
	else if (!is_sawtooth(curve) &&
	         pm_growth_rates_events_are_steady(curve, &judging->events, judging->series,
	                                           judging->began))
		judge_steady(judging, judging->events.rate);
	else if (!judge_steps(judging))
		judge_uneven(judging);
}

/**
 * Judges a curve that rose and falls since then: the verdict is shrinking. With several cycles of
 * rise and fall, the last fall may just be a part of the next one.
 * @return false, without a verdict, if the curve does not fall steadily since its peak, or not for
 *         long enough
 */
static bool judge_fall_since_peak(struct judging *judging)
{
	char size[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];
	struct pm_curve curve;

	pm_curve_measure_since_peak(&curve, judging->series, judging->curve.first);
	double span = pm_curve_span(&curve);

	if (judging->floor.cycles >= PM_FLOOR_MIN_CYCLES || curve.count < MIN_SAMPLES ||
	    span < judging->min_seconds || -curve.rise < flat_share * judging->curve.range ||
	    curve.agreement > -min_agreement || curve.highest_climb > max_fall * curve.range)
		return false;

	amount(judging, curve.rise, size);
	pm_format_duration(span, duration);
	conclude(judging, PM_VERDICT_SHRINKING, "fell by %s since its peak %s ago", size, duration);
	return true;
}

/**
 * Judges a curve that rises and falls without a rise that is large or sure: the verdict is uneven
 * if its floor seems to rise, otherwise a plateau. A trend that is small compared with the swing
 * cannot be excluded.
 */
static void judge_level(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	char swing[PM_SIZE_TEXT_SIZE], rise[PM_SIZE_TEXT_SIZE];
	double change = judging->trend->floor_rise;
	enum pm_floor_trend floor = pm_growth_floor_trend(&judging->floor, curve, change,
	                                                  flat_share * curve->range);

	amount(judging, curve->range, swing);
	if (floor == PM_FLOOR_RISES)
		conclude(judging, PM_VERDICT_UNEVEN,
		         "rises and falls by up to %s; its floor rose by %s, no trend proven yet",
		         swing, amount(judging, change, rise));
	else if (floor == PM_FLOOR_UNKNOWN)
		conclude(judging, PM_VERDICT_PLATEAU,
		         "rises and falls by up to %s, no trend proven yet", swing);
	else
		conclude(judging, PM_VERDICT_PLATEAU, "rises and falls by up to %s, no trend seen",
		         swing);
}

/** Judges a curve that rises and falls: a sawtooth over a level, or over a leak. */
static void judge_sawtooth(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	char size[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];

	amount(judging, curve->range, size);
	pm_format_duration(pm_curve_span(curve), duration);

	if (pm_growth_rates_floor_is_steady(&judging->curve, &judging->floor))
		judge_rising_floor(judging);
	else if (judge_fall_since_peak(judging))
		return;
	else if (pm_growth_floor_rises(&judging->floor, curve))
		judge_uneven(judging);
	else if (curve->highest_climb <= flat_share * curve->range)
		conclude(judging, PM_VERDICT_NO_GROWTH, "no growth seen in %s, fell by up to %s",
		         duration, size);
	else
		judge_level(judging);
}

/** Judges a curve that falls. Its rate is known only if all estimates of it agree. */
static void judge_fall(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	char size[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];

	amount(judging, curve->rise, size);
	pm_format_duration(pm_curve_span(curve), duration);

	if (pm_growth_rates_agree(-curve->slope, -curve->least_squares) &&
	    pm_growth_rates_agree(-curve->slope, -pm_growth_rates_whole(curve)))
		judging->trend->rate = curve->slope;
	conclude(judging, PM_VERDICT_SHRINKING, "fell by %s in %s", size, duration);
}

static void judge_slope(struct judging *judging)
{
	const struct pm_curve *curve = &judging->curve;
	bool rises = curve->agreement >= min_agreement &&
	             curve->deepest_fall <= max_fall * curve->range;
	bool falls = curve->agreement <= -min_agreement && curve->rise < 0 &&
	             curve->highest_climb <= max_fall * curve->range;

	/* Between two steps that are far apart, most pairs of points have no slope. The agreement
	 * is then small, although the curve never falls. */
	if (curve->rise > 0 && (rises || !is_sawtooth(curve)))
		judge_rise(judging);
	else if (falls)
		judge_fall(judging);
	else
		judge_sawtooth(judging);
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

	pm_format_duration(span, duration);
	if (series->samples < MIN_SAMPLES || span < judging->min_seconds)
		conclude(judging, PM_VERDICT_TOO_EARLY,
		         "seen for %s in %llu sample%s; needs %.0fs and %d samples", duration,
		         (unsigned long long)series->samples, series->samples == 1 ? "" : "s",
		         judging->min_seconds, MIN_SAMPLES);
	else if (curve->range == 0)
		conclude(judging, PM_VERDICT_NO_GROWTH, "no growth seen in %s", duration);
	else if (curve->range < min_range(judging))
		conclude(judging, PM_VERDICT_NO_GROWTH, "no growth seen in %s, changes of up to %s",
		         duration, amount(judging, curve->range, size));
	else
		return false;

	return true;
}

/** Fills the figures of a trend that describe how the values rise and fall. */
static void describe_swing(struct judging *judging)
{
	const struct pm_series *series = judging->series;
	struct pm_trend *trend = judging->trend;
	double from = trend->began, until = series->last, middle = (from + until) / 2;

	struct pm_curve_extremes all = pm_curve_extremes(series, from, until);
	struct pm_curve_extremes before = pm_curve_extremes(series, from, middle);
	struct pm_curve_extremes after = pm_curve_extremes(series, middle, until);

	trend->sawtooth = is_sawtooth(&judging->curve);
	trend->swing = all.deepest_fall;
	trend->floor_known = trend->sawtooth && judging->floor.cycles >= PM_FLOOR_MIN_CYCLES;
	if (trend->floor_known) {
		trend->floor = after.lowest;
		trend->floor_rise = after.lowest - before.lowest;
	}
	trend->below_peak = all.highest - pm_series_at(series, until);
}

/** Measures the curve from its first change on. */
static void measure_change(struct judging *judging)
{
	struct pm_curve *curve = &judging->curve;
	size_t head = pm_curve_flat_head(curve, flat_share / 2 * curve->range);

	judging->began = curve->first;
	judging->trend->began = pm_curve_time(curve, head);
	pm_curve_measure(curve, judging->series, judging->trend->began);
	pm_growth_events_measure(judging->series, curve->first, curve->range, 0, &judging->events);
	pm_growth_events_measure(judging->series, curve->first, curve->range, large_share,
	                         &judging->steps);
	pm_growth_floor_measure(curve, &judging->floor);
}

/**
 * Judges what came after the last large step of growth that is not steady on the whole. A leak that
 * is small compared with that step looks flat next to it. The verdict is changed only if the rest
 * grows steadily, for a quarter of the time at least.
 */
static void judge_rest(struct judging *judging)
{
	struct pm_trend trend = { .began = judging->steps.last };
	struct judging rest = { .series = judging->series,
		                .unit = judging->unit,
		                .min_seconds = judging->min_seconds,
		                .trend = &trend };

	if (judging->steps.count == 0 ||
	    judging->steps.rest < min_rest * pm_curve_span(&judging->curve))
		return;

	pm_curve_measure(&rest.curve, rest.series, trend.began);
	if (rest.curve.range < min_range(&rest))
		return;

	measure_change(&rest);
	describe_swing(&rest);
	judge_slope(&rest);
	if (trend.verdict != PM_VERDICT_STEADY)
		return;

	*judging->trend = trend;
	judging->curve = rest.curve;
}

void pm_trend_judge(const struct pm_series *series, enum pm_trend_unit unit, struct pm_trend *trend)
{
	pm_trend_judge_early(series, unit, usual_seconds, trend);
}

void pm_trend_judge_early(const struct pm_series *series, enum pm_trend_unit unit, double seconds,
                          struct pm_trend *trend)
{
	struct judging judging = {
		.series = series, .unit = unit, .min_seconds = seconds, .trend = trend
	};

	*trend = (struct pm_trend){ 0 };
	if (series->count == 0) {
		conclude(&judging, PM_VERDICT_TOO_EARLY, "not seen yet");
		return;
	}

	trend->began = series->points[0].time;
	pm_curve_measure(&judging.curve, series, trend->began);

	if (!judge_whole(&judging)) {
		measure_change(&judging);
		describe_swing(&judging);
		if (!judge_flat_end(&judging))
			judge_slope(&judging);
		if (pm_trend_growth_rate(trend) <= 0)
			judge_rest(&judging);
	}

	trend->least_squares = judging.curve.least_squares;
	trend->agreement = judging.curve.agreement;
}

double pm_trend_growth_rate(const struct pm_trend *trend)
{
	if (trend->estimate)
		return trend->estimated_rate;

	return pm_max_double(trend->rate, 0);
}

bool pm_trend_lasts(const struct pm_trend *trend, uint64_t amount, double *seconds)
{
	double rate = pm_trend_growth_rate(trend);

	if (rate <= 0)
		return false;

	*seconds = pm_max_double((double)amount - trend->below_peak, 0) / rate;
	return true;
}
