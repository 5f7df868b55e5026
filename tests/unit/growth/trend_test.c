/* SPDX-License-Identifier: MIT */
/* Verdicts on curves whose nature is known, and the figures that they rest on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/trend.h>

static const double mega = 1048576.0;

/** Returns bytes at a time. */
typedef double curve(double time);

/** Adds a curve to a series, one value per interval, and judges it. */
static struct pm_trend judge(curve *value, double interval, double seconds)
{
	struct pm_series series = { 0 };
	struct pm_trend trend;
	for (double time = 0; time <= seconds; time += interval)
		assert_int_equal(pm_series_add(&series, 1000 + time, (uint64_t)value(time), NULL),
		                 0);

	assert_true(series.count <= PM_SERIES_POINTS);
	pm_trend_judge(&series, PM_TREND_BYTES, &trend);
	pm_series_deinit(&series);
	assert_true(trend.reason[0] != '\0');

	return trend;
}

static void assert_verdict(struct pm_trend trend, enum pm_verdict verdict)
{
	if (trend.verdict != verdict)
		fail_msg("%s and not %s: %s", pm_verdict_name(trend.verdict),
		         pm_verdict_name(verdict), trend.reason);
}

static void assert_rate(struct pm_trend trend, double rate, double share)
{
	if (fabs(trend.rate - rate) > share * rate)
		fail_msg("rate %f is not %f: %s", trend.rate, rate, trend.reason);
}

static double flat(double time)
{
	(void)time;
	return 254 * mega;
}

static double two_megabytes_a_second(double time)
{
	return 100 * mega + 2 * mega * time;
}

/** Blocks of 16 MiB that become resident at once. */
static double in_large_steps(double time)
{
	return 100 * mega + 16 * mega * floor(time / 8);
}

/** Up and down by 20 MiB within ten seconds. */
static double sawing(double time)
{
	double phase = fmod(time, 10) / 5;
	return 200 * mega + 20 * mega * (phase < 1 ? phase : 2 - phase);
}

/** The same, over a leak of 1 MiB/s. */
static double sawing_over_a_leak(double time)
{
	return sawing(time) + mega * time;
}

/** Filled and emptied at once every five seconds. */
static double square(double time)
{
	return 200 * mega + (fmod(time, 10) < 5 ? 20 * mega : -20 * mega);
}

/** A leak of 40 KiB/s in small blocks, with some pages freed now and then. */
static double slow_leak(double time)
{
	return 8 * mega + 40960 * floor(time) + (fmod(time, 7) < 1 ? 24576 : 0);
}

static double burst(double time)
{
	return (time < 20 ? 10 : time < 22 ? 50 : 60) * mega;
}

static double warms_up(double time)
{
	return 300 * mega * (1 - exp(-time / 12));
}

static double leaks_after_a_burst(double time)
{
	return (time < 5 ? 10 : time < 12 ? 200 : 400) * mega + time * mega / 4;
}

static double becomes_faster(double time)
{
	return 100 * mega + mega * exp(time / 12);
}

static double leaks_after_a_while(double time)
{
	return 50 * mega + (time > 600 ? (time - 600) * mega : 0);
}

static double shrinks(double time)
{
	return 500 * mega - time * mega;
}

static double touches_a_page(double time)
{
	return 200000 + (time > 30 ? 4096 : 0);
}

static double falls_once(double time)
{
	return (time < 30 ? 300 : 200) * mega;
}

/** A small rise at the start, nothing for a long time, then a jump, and nothing more. */
static double jumps_late(double time)
{
	return 100 * mega + (time > 4 ? 4 * mega : 0) + (time > 55 ? 60 * mega : 0);
}

/** 2 MiB/s, with 3 MiB less every ten seconds. */
static double with_dips(double time)
{
	return 100 * mega + 2 * mega * time - (fmod(time, 10) < 1 ? 3 * mega : 0);
}

/** Two steps of different height; the rest between them is longer than the one since. */
static double in_two_steps(double time)
{
	return 100 * mega + (time > 4 ? 30 * mega : 0) + (time > 60 ? 30 * mega : 0);
}

static void leaks_are_steady(void **state)
{
	(void)state;
	struct pm_trend trend = judge(two_megabytes_a_second, 2, 30);
	assert_verdict(trend, PM_VERDICT_STEADY);
	assert_rate(trend, 2 * mega, 0.01);
	assert_true(fabs(trend.least_squares - 2 * mega) < 1);
	trend = judge(in_large_steps, 2, 60);
	assert_verdict(trend, PM_VERDICT_STEADY);
	assert_rate(trend, 2 * mega, 0.15);

	assert_non_null(strstr(trend.reason, "without falling back"));
	trend = judge(slow_leak, 2, 60);
	assert_verdict(trend, PM_VERDICT_STEADY);
	assert_rate(trend, 40960, 0.1);

	/* "without falling back" must be true. */
	trend = judge(with_dips, 1, 60);
	assert_verdict(trend, PM_VERDICT_STEADY);
	assert_string_equal(trend.reason, "grew by 120.0M in 1m 0s, falling back by at most 1.0M");
	trend = judge(two_megabytes_a_second, 0.1, 11);
	assert_verdict(trend, PM_VERDICT_STEADY);
	trend = judge(two_megabytes_a_second, 1, 86400);

	assert_verdict(trend, PM_VERDICT_STEADY);
	assert_rate(trend, 2 * mega, 0.01);
}

static void irregular_growth_is_not_steady(void **state)
{
	(void)state;
	assert_verdict(judge(flat, 2, 30), PM_VERDICT_NO_GROWTH);
	assert_verdict(judge(touches_a_page, 2, 60), PM_VERDICT_NO_GROWTH);
	assert_verdict(judge(falls_once, 2, 60), PM_VERDICT_NO_GROWTH);

	for (double seconds = 20; seconds < 120; seconds += 7) {
		assert_int_not_equal(judge(sawing, 2, seconds).verdict, PM_VERDICT_STEADY);
		assert_int_not_equal(judge(square, 1, seconds).verdict, PM_VERDICT_STEADY);
		if (seconds > 40)
			assert_verdict(judge(square, 1, seconds), PM_VERDICT_PLATEAU);
	}

	assert_verdict(judge(sawing, 2, 60), PM_VERDICT_PLATEAU);
	assert_verdict(judge(sawing, 1, 65), PM_VERDICT_PLATEAU);
	assert_verdict(judge(square, 2, 60), PM_VERDICT_PLATEAU);
	assert_verdict(judge(burst, 2, 60), PM_VERDICT_BURST);
	assert_verdict(judge(warms_up, 2, 120), PM_VERDICT_PLATEAU);
	assert_verdict(judge(shrinks, 2, 60), PM_VERDICT_SHRINKING);
}

/** Falls from 90 MiB to 40 MiB once, and rises before and after. */
static double one_tooth(double time)
{
	return (time < 3 ? 86 + time * 4 : 40 + (time - 3) * 4) * mega;
}

/** A tooth that was seen once has no floor; and what fell on the whole has not risen. */
static void one_tooth_has_no_floor(void **state)
{
	(void)state;
	struct pm_trend trend = judge(one_tooth, 2, 12);

	assert_true(trend.sawtooth && !trend.floor_known);
	assert_true(fabs(trend.floor) < 1 && fabs(trend.floor_rise) < 1);
	assert_verdict(trend, PM_VERDICT_PLATEAU);
	assert_null(strstr(trend.reason, "rises, but"));

	trend = judge(sawing, 1, 35);
	assert_true(trend.sawtooth && trend.floor_known);
}

/** Rises by 496 MiB after three seconds, and falls by 5 MiB/s since then. */
static double falls_since_a_peak(double time)
{
	return (time < 3 ? 16 : 512 - 5 * (time - 3)) * mega;
}

/** What has fallen since its only peak is shrinking, whether or not it is below its start. */
static void fall_since_a_peak_is_shrinking(void **state)
{
	(void)state;
	for (double seconds = 15; seconds < 100; seconds += 3) {
		struct pm_trend trend = judge(falls_since_a_peak, 0.5, seconds);

		assert_verdict(trend, PM_VERDICT_SHRINKING);
		assert_null(strstr(trend.reason, "rises"));
		assert_true(pm_trend_growth_rate(&trend) == 0);
	}

	struct pm_trend trend = judge(falls_since_a_peak, 0.5, 58);
	assert_string_equal(trend.reason, "fell by 275.0M since its peak 55s ago");
}

/** Rises and falls by 100 MiB every six seconds, over a leak of 2 MiB in each cycle. */
static double large_sawtooth_over_a_leak(double time)
{
	return 100 * mega + 5 * mega * floor(fmod(time, 6) / 0.3) + 2 * mega * floor(time / 6);
}

/** No text excludes a leak beneath a large sawtooth. */
static void small_leak_beneath_a_sawtooth_is_not_excluded(void **state)
{
	(void)state;
	for (double seconds = 60; seconds < 300; seconds += 7) {
		struct pm_trend trend = judge(large_sawtooth_over_a_leak, 0.5, seconds);

		if (trend.verdict == PM_VERDICT_PLATEAU)
			assert_non_null(strstr(trend.reason, "no trend proven yet"));
		else
			assert_verdict(trend, PM_VERDICT_UNEVEN);
		if (seconds > 120)
			assert_verdict(trend, PM_VERDICT_UNEVEN);
	}

	struct pm_trend trend = judge(sawing, 1, 60);
	assert_verdict(trend, PM_VERDICT_PLATEAU);
	assert_string_equal(trend.reason, "rises and falls by up to 20.0M, no trend seen");
}

/** Blocks of 16 MiB every eight seconds, observed from different moments on. */
static double in_large_steps_later(double time)
{
	return in_large_steps(time + 3);
}

/** After a single step, a process that grows in rare steps looks like one that grew once. */
static void one_step_is_not_yet_a_burst(void **state)
{
	(void)state;
	for (double seconds = 10; seconds < 13; seconds += 1)
		assert_int_not_equal(judge(in_large_steps_later, 1, seconds).verdict,
		                     PM_VERDICT_BURST);
	struct pm_trend trend = judge(in_large_steps_later, 1, 12);
	assert_verdict(trend, PM_VERDICT_TOO_EARLY);
	assert_string_equal(trend.reason, "grew by 16.0M in one step, only 7.0s ago");
}

/** A curve that was observed long enough has a verdict, if only `uneven`. */
static void irregular_growth_is_uneven(void **state)
{
	(void)state;
	assert_verdict(judge(jumps_late, 2, 74), PM_VERDICT_BURST);
	assert_verdict(judge(in_two_steps, 2, 80), PM_VERDICT_STEPS);

	/* Immediately after the jump any verdict is possible. */
	assert_verdict(judge(jumps_late, 2, 58), PM_VERDICT_UNEVEN);
	for (double seconds = 12; seconds < 200; seconds += 3) {
		assert_int_not_equal(judge(jumps_late, 2, seconds).verdict, PM_VERDICT_STEADY);
		assert_int_not_equal(judge(in_two_steps, 2, seconds).verdict, PM_VERDICT_STEADY);
		if (seconds > 15) {
			assert_int_not_equal(judge(jumps_late, 2, seconds).verdict,
			                     PM_VERDICT_TOO_EARLY);
			assert_int_not_equal(judge(in_two_steps, 2, seconds).verdict,
			                     PM_VERDICT_TOO_EARLY);
		}
	}

	assert_string_equal(pm_verdict_name(PM_VERDICT_UNEVEN), "uneven");
}

/** A leak of 20 MiB every 8 s, watched for 12 s, once had a rate of some KiB/s: pages, not steps.
 */
static void few_steps_have_an_estimate(void **state)
{
	(void)state;
	struct pm_trend trend = judge(in_large_steps, 1, 23);
	double seconds = 0;

	assert_verdict(trend, PM_VERDICT_STEPS);
	assert_string_equal(trend.reason, "grows in steps of 16.0M, about 2.0M/s");
	assert_true(trend.estimate);
	assert_true(trend.rate == 0);
	assert_true(fabs(trend.estimated_rate - 2 * mega) < 1);
	assert_true(fabs(trend.step - 16 * mega) < 1);
	assert_true(pm_trend_lasts(&trend, 200 * 1048576, &seconds));
	assert_true(fabs(seconds - 100) < 0.1);

	/* A single step says nothing about the next one. */
	trend = judge(in_large_steps, 1, 15);
	assert_false(trend.estimate);
	assert_true(trend.rate == 0);
	assert_false(pm_trend_lasts(&trend, 200 * 1048576, &seconds));

	/* Enough steps have a rate. */
	trend = judge(in_large_steps, 1, 70);
	assert_verdict(trend, PM_VERDICT_STEADY);
	assert_false(trend.estimate);
	assert_rate(trend, 2 * mega, 0.05);
}

/** A leak after a start that needs far more memory than the leak. */
static void leak_after_a_burst_is_found(void **state)
{
	(void)state;

	for (double seconds = 40; seconds < 600; seconds += 40) {
		struct pm_trend trend = judge(leaks_after_a_burst, 1, seconds);

		assert_verdict(trend, PM_VERDICT_STEADY);
		assert_rate(trend, mega / 4, 0.05);
		assert_true(trend.began > 1010 && trend.began < 1000 + seconds / 2);
	}
}

/** Growth that slows down or becomes faster has no rate: it would be wrong soon. */
static void changing_growth_has_no_rate(void **state)
{
	(void)state;

	for (double seconds = 45; seconds < 120; seconds += 5) {
		assert_true(judge(warms_up, 1, seconds).rate == 0);
		assert_true(judge(becomes_faster, 1, seconds).rate == 0);
	}
}

static void window_without_growth_says_so(void **state)
{
	(void)state;
	struct pm_trend trend = judge(flat, 1, 12);
	double seconds = 0;

	assert_verdict(trend, PM_VERDICT_NO_GROWTH);
	assert_string_equal(trend.reason, "no growth seen in 12s");
	assert_false(pm_trend_lasts(&trend, 1048576, &seconds));

	trend = judge(falls_once, 1, 60);
	assert_verdict(trend, PM_VERDICT_NO_GROWTH);
	assert_true(trend.rate == 0);
}

/** The floor of a sawtooth over a leak has the rate; a limit is reached by the peaks. */
static void sawtooth_over_a_leak_has_the_rate_of_its_floor(void **state)
{
	(void)state;
	struct pm_trend trend = judge(sawing_over_a_leak, 1, 245);
	double seconds = 0;

	assert_verdict(trend, PM_VERDICT_STEADY);
	assert_rate(trend, mega, 0.02);
	assert_true(fabs(trend.swing - 15 * mega) < 1);
	assert_true(fabs(trend.floor_rise - 130 * mega) < 1);
	assert_true(trend.below_peak >= 0 && trend.below_peak <= trend.swing);
	assert_true(pm_trend_lasts(&trend, 100 * 1048576, &seconds));
	assert_true(fabs(seconds - (100 * mega - trend.below_peak) / trend.rate) < 0.001);

	/* A sawtooth over a level. */
	trend = judge(sawing, 1, 60);
	assert_verdict(trend, PM_VERDICT_PLATEAU);
	assert_true(fabs(trend.swing - 20 * mega) < 1);
	assert_true(fabs(trend.floor - 200 * mega) < 1);
	assert_true(fabs(trend.floor_rise) < 1);
}

/** Times of a damaged file: no verdict is wrong, because none can be right; nothing overflows. */
static void impossible_times_have_a_verdict(void **state)
{
	static const double times[][6] = {
		{ -1.7e308, -1e308, 0, 1e307, 1e308, 1.7e308 },
		{ 0, 1, 2, 3, 4, INFINITY },
		{ -INFINITY, 0, 1, 2, 3, INFINITY },
	};

	(void)state;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		struct pm_series series = { 0 };
		struct pm_trend trend;

		for (size_t j = 0; j < 6; j++)
			assert_int_equal(pm_series_add(&series, times[i][j], j << 30, NULL), 0);
		pm_trend_judge(&series, PM_TREND_BYTES, &trend);
		assert_true(trend.rate == 0);
		assert_true(trend.reason[0] != '\0');
		pm_series_deinit(&series);
	}
}

static void shrinking_has_a_rate(void **state)
{
	(void)state;
	struct pm_trend trend = judge(shrinks, 2, 60);

	assert_verdict(trend, PM_VERDICT_SHRINKING);
	assert_true(fabs(trend.rate + mega) < 0.01 * mega);
}

static void rate_counts_from_the_start_of_growth(void **state)
{
	(void)state;
	struct pm_trend trend = judge(leaks_after_a_while, 2, 700);
	assert_verdict(trend, PM_VERDICT_STEADY);
	assert_rate(trend, mega, 0.05);
	assert_true(fabs(trend.began - 1600) < 15);
	/* The reason does not speak of the whole time. */
	assert_non_null(strstr(trend.reason, " in the last 1m "));
}

static void waits_for_enough_samples(void **state)
{
	(void)state;
	assert_verdict(judge(two_megabytes_a_second, 2, 8), PM_VERDICT_TOO_EARLY);
	assert_verdict(judge(two_megabytes_a_second, 10, 30), PM_VERDICT_TOO_EARLY);
	assert_verdict(judge(leaks_after_a_while, 1, 604), PM_VERDICT_TOO_EARLY);

	struct pm_series series = { 0 };
	struct pm_trend trend;
	pm_trend_judge(&series, PM_TREND_BYTES, &trend);
	assert_verdict(trend, PM_VERDICT_TOO_EARLY);
}

static void counts_are_judged_one_by_one(void **state)
{
	(void)state;
	struct pm_series series = { 0 };
	struct pm_trend trend;
	for (unsigned time = 0; time <= 30; time++)
		assert_int_equal(pm_series_add(&series, time, 8 + 2 * time, NULL), 0);

	pm_trend_judge(&series, PM_TREND_COUNT, &trend);
	assert_verdict(trend, PM_VERDICT_STEADY);
	assert_true(fabs(trend.rate - 2) < 0.001);
	assert_non_null(strstr(trend.reason, "by 60 "));
	pm_series_deinit(&series);
}

/** The corners that a series keeps must describe the same line. */
static void series_keeps_corners(void **state)
{
	(void)state;
	struct pm_series series = { 0 };
	for (int time = 0; time <= 100; time++)
		assert_int_equal(pm_series_add(&series, time, time < 40 ? 5 : 9, NULL), 0);

	assert_int_equal(series.count, 3);
	assert_int_equal(series.samples, 101);
	assert_true(pm_series_at(&series, -1) == 0);
	assert_true(pm_series_at(&series, 39) == 5);
	assert_true(pm_series_at(&series, 39.5) == 7);
	assert_true(pm_series_at(&series, 40) == 9);
	assert_true(pm_series_at(&series, 1000) == 9);
	pm_series_deinit(&series);
}

/**
 * A series that is watched for long keeps its falls, and the same resolution for all of its time. A
 * first value and a last value with nothing between them would look like a steady leak.
 */
static void long_series_keep_their_shape(void **state)
{
	(void)state;
	struct pm_series series = { 0 };
	struct pm_trend trend;

	/* 10 GiB in the first minute, and then a sawtooth for a day. */
	for (int time = 0; time <= 86400; time++) {
		double value = sawing(time) + 10240 * mega * fmin(time / 60.0, 1);
		assert_int_equal(pm_series_add(&series, time, (uint64_t)value, NULL), 0);
	}

	assert_true(series.count <= PM_SERIES_POINTS);
	assert_true(pm_series_at(&series, 2000) > 10000 * mega);
	for (size_t i = 1; i < series.count; i++) {
		double gap = series.points[i].time - series.points[i - 1].time;
		assert_true(gap > 0 && gap < 86400 / 64.0);
	}

	pm_trend_judge(&series, PM_TREND_BYTES, &trend);
	assert_int_not_equal(trend.verdict, PM_VERDICT_STEADY);
	assert_true(trend.rate == 0 && !trend.estimate);
	assert_true(fabs(trend.swing - 20 * mega) < 1);
	pm_series_deinit(&series);
}

static void series_add_up(void **state)
{
	(void)state;
	struct pm_series one = { 0 }, other = { 0 };
	for (int time = 0; time <= 10; time++)
		assert_int_equal(pm_series_add(&one, time, (uint64_t)time * 10, NULL), 0);

	for (int time = 4; time <= 10; time++)
		assert_int_equal(pm_series_add(&other, time, 1000, NULL), 0);

	assert_int_equal(pm_series_merge(&one, &other, NULL), 0);
	assert_true(pm_series_at(&one, 3) == 30);
	assert_true(pm_series_at(&one, 4) == 1040);
	assert_true(pm_series_at(&one, 10) == 1100);
	assert_true(one.last == 10);
	pm_series_deinit(&one);
	pm_series_deinit(&other);
}

static void durations_in_words(void **state)
{
	(void)state;
	static const struct {
		double seconds;
		const char *text;
	} cases[] = { { -1, "0.0s" },      { 0.44, "0.4s" },        { 9.94, "9.9s" },
		      { 9.96, "10s" },     { 59.4, "59s" },         { 59.6, "1m 0s" },
		      { 460, "7m 40s" },   { 3599.6, "1h 0m" },     { 8040, "2h 14m" },
		      { 273600, "3d 4h" }, { 8.63e8, "9988d 10h" }, { 1e12, ">10000d" },
		      { NAN, "0.0s" } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[PM_DURATION_TEXT_SIZE];
		assert_int_equal(pm_format_duration(cases[i].seconds, text), strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaks_are_steady),
		cmocka_unit_test(irregular_growth_is_not_steady),
		cmocka_unit_test(irregular_growth_is_uneven),
		cmocka_unit_test(few_steps_have_an_estimate),
		cmocka_unit_test(leak_after_a_burst_is_found),
		cmocka_unit_test(changing_growth_has_no_rate),
		cmocka_unit_test(window_without_growth_says_so),
		cmocka_unit_test(sawtooth_over_a_leak_has_the_rate_of_its_floor),
		cmocka_unit_test(one_tooth_has_no_floor),
		cmocka_unit_test(fall_since_a_peak_is_shrinking),
		cmocka_unit_test(small_leak_beneath_a_sawtooth_is_not_excluded),
		cmocka_unit_test(one_step_is_not_yet_a_burst),
		cmocka_unit_test(impossible_times_have_a_verdict),
		cmocka_unit_test(shrinking_has_a_rate),
		cmocka_unit_test(rate_counts_from_the_start_of_growth),
		cmocka_unit_test(waits_for_enough_samples),
		cmocka_unit_test(counts_are_judged_one_by_one),
		cmocka_unit_test(series_keeps_corners),
		cmocka_unit_test(long_series_keep_their_shape),
		cmocka_unit_test(series_add_up),
		cmocka_unit_test(durations_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
