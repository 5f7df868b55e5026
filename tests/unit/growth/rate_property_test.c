/* SPDX-License-Identifier: MIT */
/*
 * No curve of these shapes, whatever its period, phase and length, is called steady with a rate
 * that is off by more than half: stepwise growth, a saw tooth over a level, and a saw tooth over a
 * leak, each with and without noise; growth that stops; and growth by steps at random times. The
 * true rate is known from the formula of the curve.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include <procmem/trend.h>

static const double mega = 1048576.0, base = 300 * 1048576.0;

/** A curve of a family, and the rate that it has in the long run. */
struct curve {
	double period; /**< seconds */
	double phase;  /**< share of a period, 0 to 1 */
	double height; /**< bytes of a step, or of a tooth */
	double leak;   /**< bytes per second below the teeth */
	double noise;  /**< bytes, at most, in either direction */
	double end;    /**< seconds until the growth stops */
};

/** Number of phases of each curve. With a sanitizer, the eight would take minutes. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { PHASES = 2 };
#else
enum { PHASES = 8 };
#endif

typedef double shape(const struct curve *curve, double time);

static double steps(const struct curve *curve, double time)
{
	return curve->height * floor(time / curve->period + curve->phase);
}

static double teeth(const struct curve *curve, double time)
{
	double cycles = time / curve->period + curve->phase;

	return curve->height * (cycles - floor(cycles)) + curve->leak * time;
}

/** Bytes that come in steps and go at once every third step. */
static double stairs_that_fall(const struct curve *curve, double time)
{
	double cycles = floor(time / curve->period + curve->phase);

	return curve->height * fmod(cycles, 3) + curve->leak * time;
}

static double ramp_that_stops(const struct curve *curve, double time)
{
	return curve->leak * fmin(time, curve->end);
}

static double teeth_over_a_leak_that_stops(const struct curve *curve, double time)
{
	double cycles = time / curve->period + curve->phase;

	return curve->height * (cycles - floor(cycles)) + curve->leak * fmin(time, curve->end);
}

/** Nothing for some time, and then steps. */
static double idle_then_steps(const struct curve *curve, double time)
{
	double idle = curve->phase * curve->end;

	return time < idle ? 0 : curve->height * floor((time - idle) / curve->period + 1);
}

static double noise_of(const struct curve *curve)
{
	return curve->noise * (2 * (double)rand() / RAND_MAX - 1);
}

static struct pm_trend judge(shape *value_of, const struct curve *curve, double interval,
                             double seconds)
{
	struct pm_series series = { 0 };
	struct pm_trend trend;

	for (double time = 0; time <= seconds; time += interval) {
		double value = base + value_of(curve, time) + noise_of(curve);
		assert_int_equal(pm_series_add(&series, time, (uint64_t)value, NULL), 0);
	}

	pm_trend_judge(&series, PM_TREND_BYTES, &trend);
	pm_series_deinit(&series);
	return trend;
}

/** What became of the curves of a family. */
struct tally {
	unsigned long long curves, steady, wrong;
	unsigned long long estimates;  /* curves that have an estimate instead of a rate */
	unsigned long long misleading; /* estimates that are off by more than a factor of 2.5 */
};

static void count(struct tally *tally, const struct pm_trend *trend, double rate,
                  const struct curve *curve, double interval, double seconds)
{
	bool right = rate > 0 && trend->rate <= 1.5 * rate && rate <= 1.5 * trend->rate;

	tally->curves++;
	tally->estimates += trend->estimate;
	if (trend->estimate &&
	    (trend->estimated_rate > 2.5 * rate || rate > 2.5 * trend->estimated_rate)) {
		print_error("estimate %.0f, not %.0f, period %g every %g s for %g s\n",
		            trend->estimated_rate, rate, curve->period, interval, seconds);
		tally->misleading++;
	}
	if (trend->verdict != PM_VERDICT_STEADY)
		return;

	tally->steady++;
	if (right)
		return;
	if (tally->wrong++ < 12)
		print_error("period %g, phase %g, height %.0f, leak %.0f, noise %.0f, every %g s "
		            "for %g s: "
		            "rate %.0f, not %.0f (%s)\n",
		            curve->period, curve->phase, curve->height, curve->leak, curve->noise,
		            interval, seconds, trend->rate, rate, trend->reason);
}

/** Judges a curve for all phases, and counts the results. */
static void go_over_phases(shape *value_of, struct curve *curve, double rate, double interval,
                           double seconds, struct tally *tally)
{
	/* There is no verdict on so little. */
	if (seconds < 10 || seconds < 4 * interval)
		return;

	for (int phase = 0; phase < PHASES; phase++) {
		curve->phase = (double)phase / PHASES;
		struct pm_trend trend = judge(value_of, curve, interval, seconds);
		count(tally, &trend, rate, curve, interval, seconds);
	}
}

/**
 * Judges a curve for all periods, phases, lengths and intervals. With the largest lengths, 64
 * points miss the teeth: a point is just more than a whole number of periods after the one before
 * it.
 *
 * @param bytes_of_period  growth in a period, besides the leak
 * @param min_periods      smallest length
 */
static struct tally go_over(shape *value_of, struct curve curve, double bytes_of_period,
                            double min_periods)
{
	static const double periods[] = { 1, 1.5, 2, 3, 4.7, 8, 10, 13.3, 20, 30, 45, 60 };
	static const double lengths[] = { 0.5, 0.8, 1.2, 1.5, 2,  2.5,  3.3,   4,    5,
		                          6,   7.5, 10,  14,  20, 63.3, 126.2, 189.4 };
	static const double intervals[] = { 0.5, 1, 2 };
	struct tally tally = { 0 };

	for (size_t p = 0; p < sizeof periods / sizeof *periods; p++)
		for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
			if (lengths[l] < min_periods)
				continue;

			curve.period = periods[p];
			double seconds = periods[p] * lengths[l];
			double rate = curve.leak + bytes_of_period / curve.period;
			for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++)
				go_over_phases(value_of, &curve, rate, intervals[i], seconds,
				               &tally);
		}

	return tally;
}

static void stepwise_growth_has_its_rate_or_none(void **state)
{
	static const double noises[] = { 0, 0.02, 0.1, 0.3 };
	(void)state;

	for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
		struct curve curve = { .height = 16 * mega, .noise = noises[i] * 16 * mega };
		struct tally tally = go_over(steps, curve, curve.height, 0);

		assert_int_equal(tally.wrong, 0);
		assert_true(tally.estimates > 0);
		if (curve.noise == 0)
			assert_int_equal(tally.misleading, 0);
		/* Enough events were there in a good part of them. */
		assert_true(tally.steady * 5 > tally.curves);
	}
}

/** Before its first fall, a sawtooth is a ramp like a leak: the time must contain a fall. */
static void teeth_over_a_level_are_not_steady(void **state)
{
	static const double noises[] = { 0, 0.02, 0.05 };
	(void)state;

	for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
		struct curve curve = { .height = 90 * mega, .noise = noises[i] * 90 * mega };

		assert_int_equal(go_over(teeth, curve, 0, 1.2).wrong, 0);
		assert_int_equal(go_over(stairs_that_fall, curve, 0, 3.5).wrong, 0);
	}
}

static void teeth_over_a_leak_have_the_rate_of_the_leak_or_none(void **state)
{
	static const double leaks[] = { 0.02, 0.2, 1, 5 };
	static const double noises[] = { 0, 0.02, 0.05 };
	(void)state;

	for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++)
		for (size_t j = 0; j < sizeof noises / sizeof *noises; j++) {
			struct curve curve = { .height = 20 * mega,
				               .leak = leaks[i] * mega,
				               .noise = noises[j] * 20 * mega };

			assert_int_equal(go_over(teeth, curve, 0, 1.2).wrong, 0);
		}
}

/**
 * Judges curves that grow for a share of the time only, and then rest for some seconds at least: a
 * shorter rest may be one between two steps.
 */
static unsigned long long count_wrong_after_end(shape *value_of, struct curve *curve,
                                                double interval, double seconds, double min_rest)
{
	struct tally tally = { 0 };

	for (double share = 0.3; share < 0.905; share += 0.01) {
		curve->end = share * seconds;
		if (seconds - curve->end < min_rest)
			continue;

		struct pm_trend trend = judge(value_of, curve, interval, seconds);
		count(&tally, &trend, 0, curve, interval, seconds);
	}

	return tally.wrong;
}

static void growth_that_ended_is_not_steady(void **state)
{
	static const double lengths[] = { 15, 30, 60, 120, 600, 3600, 86400 };
	static const double noises[] = { 0, 0.0005, 0.002 };
	(void)state;

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (size_t j = 0; j < sizeof noises / sizeof *noises; j++) {
			double seconds = lengths[i], interval = seconds > 3600 ? 10 : 1;
			struct curve curve = { .leak = mega, .noise = noises[j] * mega * seconds };

			assert_int_equal(count_wrong_after_end(ramp_that_stops, &curve, interval,
			                                       seconds, 10 * interval),
			                 0);
		}
}

static void leak_that_ended_under_teeth_is_not_steady(void **state)
{
	static const double cycles[] = { 12.3, 20.7, 30.1 };
	(void)state;

	for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
		struct curve curve = { .period = 20, .phase = 0.4, .height = mega };
		curve.leak = 10 * mega / (curve.period * cycles[i]);

		assert_int_equal(count_wrong_after_end(teeth_over_a_leak_that_stops, &curve, 1,
		                                       curve.period * cycles[i], curve.period * 4),
		                 0);
	}
}

/** Returns a random time until the next event of a Poisson process, or a random height. */
static double random_exponential(double mean)
{
	return -mean * log((rand() + 1.0) / (RAND_MAX + 2.0));
}

/** Judges growth by steps at random times. */
static struct pm_trend judge_random_steps(double gap, bool random_heights, double interval,
                                          double seconds)
{
	struct pm_series series = { 0 };
	struct pm_trend trend;
	double next = random_exponential(gap), value = base;

	for (double time = 0; time <= seconds; time += interval) {
		for (; next <= time; next += random_exponential(gap))
			value += random_heights ? random_exponential(mega) : mega;
		assert_int_equal(pm_series_add(&series, time, (uint64_t)value, NULL), 0);
	}

	pm_trend_judge(&series, PM_TREND_BYTES, &trend);
	pm_series_deinit(&series);
	return trend;
}

static struct tally go_over_random_steps(bool random_heights, double events)
{
	static const double lengths[] = { 15, 30, 120, 600 };
	struct tally tally = { 0 };

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (int run = 0; run < 400; run++) {
			double seconds = lengths[i], interval = seconds < 60 ? 0.5 : 1;
			struct curve curve = { .period = seconds / events, .height = mega };
			struct pm_trend trend = judge_random_steps(curve.period, random_heights,
			                                           interval, seconds);

			/* An estimate may be wrong. */
			trend.estimate = false;
			count(&tally, &trend, mega / curve.period, &curve, interval, seconds);
		}

	return tally;
}

/**
 * A leak per request. A few random steps may look even by chance: this may happen to one window in
 * 1,000.
 */
static void steps_at_random_times_have_their_rate_or_none(void **state)
{
	static const double events[] = { 4, 5, 7, 9, 12, 16, 25, 40, 80, 300, 3000 };
	(void)state;

	/* Use the same random steps each time. */
	srand(1);

	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		struct tally equal = go_over_random_steps(false, events[i]);
		struct tally random = go_over_random_steps(true, events[i]);

		print_message("%g events: %llu and %llu of %llu are steady\n", events[i],
		              equal.steady, random.steady, equal.curves);
		assert_true(equal.wrong * 1000 <= equal.curves);
		assert_true(random.wrong * 1000 <= random.curves);
		/* With that many events, chance hardly matters. */
		if (events[i] >= 3000)
			assert_true(equal.steady + random.steady > equal.curves);
	}
}

/** The growth of the whole time is slower than that since the first step. */
static void few_steps_after_a_rest_are_not_steady(void **state)
{
	(void)state;

	for (double period = 2; period < 20; period++)
		for (double phase = 0.2; phase < 0.8; phase += 0.05) {
			struct curve curve = { .period = period, .phase = phase, .height = mega };
			curve.end = 120;
			double idle = phase * curve.end, steps = floor((120 - idle) / period) + 1;

			/* With many steps, the rate is that since they began. */
			if (steps >= 10 || idle < 3 * period)
				continue;

			struct pm_trend trend = judge(idle_then_steps, &curve, 1, 120);
			assert_int_not_equal(trend.verdict, PM_VERDICT_STEADY);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stepwise_growth_has_its_rate_or_none),
		cmocka_unit_test(teeth_over_a_level_are_not_steady),
		cmocka_unit_test(teeth_over_a_leak_have_the_rate_of_the_leak_or_none),
		cmocka_unit_test(growth_that_ended_is_not_steady),
		cmocka_unit_test(leak_that_ended_under_teeth_is_not_steady),
		cmocka_unit_test(steps_at_random_times_have_their_rate_or_none),
		cmocka_unit_test(few_steps_after_a_rest_are_not_steady),
	};

	srand(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
