/* SPDX-License-Identifier: MIT */
/* When an observation may end early: curves that are known, of a process with one region. */
#include "why/early.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/target.h"

enum { SECONDS = 30, BASE = 0x100000 };

static const uint64_t megabyte = 1 << 20;

/** A curve: bytes after some seconds. */
typedef double curve(double seconds);

/** Returns the rest of a division, which is not negative. */
static double modulo(double value, double divisor)
{
	double rest = value - (double)(int)(value / divisor) * divisor;

	return rest < 0 ? rest + divisor : rest;
}

static double steady(double seconds)
{
	return 1200e6 + 1e6 * seconds;
}

static double idle(double seconds)
{
	(void)seconds;
	return 100e6;
}

/** Rises for 25 s, and falls to its floor. The observation starts 3 s after a fall. */
static double flat_sawtooth(double seconds)
{
	return 100e6 + 4e6 * modulo(seconds + 3, 25);
}

/** A leak of 100 KB/s below a sawtooth with a period of 4 s. */
static double rising_sawtooth(double seconds)
{
	return 100e6 + 1e5 * seconds + 5e6 * modulo(seconds, 4);
}

/** A slow leak below noise that is larger than its growth in the time. */
static double noise(double seconds)
{
	return 100e6 + 2e4 * seconds + 3e6 * (modulo(seconds * 7919, 13) / 13);
}

/** Grows for 12 s, and stops. */
static double plateau(double seconds)
{
	return 100e6 + 1e6 * (seconds < 12 ? seconds : 12);
}

static double steps(double seconds)
{
	return 100e6 + 8e6 * (double)(int)(seconds / 6);
}

/** A second region: it does not change. */
static double nothing(double seconds)
{
	(void)seconds;
	return 50e6;
}

/** Adds a sample of two regions. */
static void add(struct pm_tracker *tracker, double time, double first, double second)
{
	struct pm_regions regions;
	struct pm_error error;

	pm_regions_init(&regions);
	for (int i = 0; i < 2; i++) {
		uint64_t bytes = (uint64_t)(i ? second : first) / 4096 * 4096;
		struct pm_region region = { .start = BASE + (uint64_t)i * 4096 * megabyte,
			                    .end = BASE + ((uint64_t)i * 4096 + 2048) * megabyte,
			                    .perms = PM_PERM_READ | PM_PERM_WRITE,
			                    .mapping = i ? "/dev/zero" : "" };

		region.kind = i ? PM_KIND_FILE : PM_KIND_ANON;
		region.bytes[PM_SIZE_RSS] = bytes;
		must(pm_regions_append(&regions, &region, &error), &error);
	}
	must(pm_tracker_add(tracker, time, &regions, &error), &error);
	pm_regions_deinit(&regions);
}

/**
 * Returns the second at which the observation ends; SECONDS if it does not end early.
 * @param early   what is known at the start
 * @param first   the curve of a region
 * @param second  the curve of the other one
 */
static int ends_at(const struct why_early *early, curve *first, curve *second)
{
	struct pm_series memory = { 0 };
	struct pm_tracker *tracker;
	struct pm_error error;
	int at = 0;

	must(pm_tracker_create(&tracker, &error), &error);
	for (; at < SECONDS; at++) {
		double one = first(at), other = second(at);

		must(pm_series_add(&memory, at, (uint64_t)(one + other), &error), &error);
		add(tracker, at, one, other);
		if (why_early_is_sure(early, &memory, tracker))
			break;
	}
	pm_tracker_destroy(tracker);
	pm_series_deinit(&memory);
	return at;
}

/** Returns what is known of a process that is the sum of two curves for 1,000 seconds. */
static struct why_early history(curve *first, curve *second)
{
	struct why_early early = { .seconds = SECONDS, .age = 1000 };

	for (int at = -1000; at <= 0; at++)
		if (first(at) + second(at) > (double)early.peak)
			early.peak = (uint64_t)(first(at) + second(at));
	return early;
}

static void steady_growth_ends_early(void **state)
{
	struct why_early early = history(steady, nothing);
	(void)state;

	assert_int_equal(ends_at(&early, steady, nothing), 18);
	/* Two regions that grow */
	early = history(steady, steady);
	assert_int_equal(ends_at(&early, steady, steady), 18);
	/* A long observation */
	early.seconds = 45;
	assert_int_equal(ends_at(&early, steady, steady), 27);
}

static void what_needs_the_whole_time(void **state)
{
	curve *const curves[] = { idle, flat_sawtooth, rising_sawtooth, noise, plateau, steps };
	(void)state;

	for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
		struct why_early early = history(curves[i], nothing);

		assert_int_equal(ends_at(&early, curves[i], nothing), SECONDS);
		/* Beside a region that grows steadily, and hides it */
		early = history(steady, curves[i]);
		if (curves[i] != idle)
			assert_int_equal(ends_at(&early, steady, curves[i]), SECONDS);
	}
}

/** A sawtooth with a long period looks like a leak until it falls; its last peak tells. */
static void a_peak_before_is_a_sawtooth(void **state)
{
	struct why_early early = history(steady, nothing);
	(void)state;

	early.peak += 20 * megabyte;
	assert_int_equal(ends_at(&early, steady, nothing), SECONDS);
	early.peak = 0;
	assert_int_equal(ends_at(&early, steady, nothing), SECONDS);
}

/** What a young process had before is not known: its growth can be its start. */
static void young_processes_need_the_whole_time(void **state)
{
	struct why_early early = history(steady, nothing);
	(void)state;

	early.age = SECONDS - 1;
	assert_int_equal(ends_at(&early, steady, nothing), SECONDS);
}

static void what_is_noted_at_the_start(void **state)
{
	struct pm_process_info info = { .uptime_ms = 90000, .vm_hwm = 5 * megabyte };
	struct why_early early;
	(void)state;

	why_early_begin(&early, SECONDS, &info);
	assert_true(early.age > 89.9 && early.age < 90.1);
	assert_int_equal(early.peak, 5 * megabyte);
	info.vm_swap = 4096;
	why_early_begin(&early, SECONDS, &info);
	assert_int_equal(early.peak, 0);
	why_early_begin(&early, SECONDS, NULL);
	assert_int_equal(early.peak, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_growth_ends_early),
		cmocka_unit_test(what_needs_the_whole_time),
		cmocka_unit_test(a_peak_before_is_a_sawtooth),
		cmocka_unit_test(young_processes_need_the_whole_time),
		cmocka_unit_test(what_is_noted_at_the_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
