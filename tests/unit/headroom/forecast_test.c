/* SPDX-License-Identifier: MIT */
/* When limits are reached: the time comes from what a limit counts, and estimates remain estimates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "headroom/answer.h"
#include "target/forecast.h"

#define MIB (UINT64_C(1) << 20)

/** The results of a run, whose values the test sets. */
struct fixture {
	struct headroom_rates rates;
	struct headroom_report report;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	*state = fixture;
	return fixture ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	headroom_rates_deinit(&fixture->rates);
	free(fixture);
	return 0;
}

static void forget_samples(struct fixture *fixture)
{
	headroom_rates_deinit(&fixture->rates);
	fixture->rates = (struct headroom_rates){ 0 };
}

static struct pm_limit *add_limit(struct fixture *fixture, enum pm_limit_kind kind, uint64_t max,
                                  const char *source)
{
	struct pm_headroom *headroom = &fixture->report.headroom;
	struct pm_limit *limit = &headroom->limits[headroom->count++];

	*limit = (struct pm_limit){ .kind = kind, .counts = kind >= PM_LIMIT_MAPPINGS, .max = max };
	snprintf(limit->source, sizeof limit->source, "%s", source);
	return limit;
}

/** Adds a sample of all limits, with the values that their `used` has now. */
static void add_sample(struct fixture *fixture, double time, uint64_t process)
{
	struct headroom_rates *rates = &fixture->rates;

	assert_int_equal(
		limit_counters_add(&rates->counters, time, &fixture->report.headroom, NULL), 0);
	assert_int_equal(pm_series_add(&rates->memory, time, process, NULL), 0);
	assert_int_equal(pm_series_add(&rates->kept, time, process, NULL), 0);
}

static const struct pm_limit *forecast(struct fixture *fixture)
{
	struct headroom_report *report = &fixture->report;

	report->rates = &fixture->rates;
	pm_trend_judge(&fixture->rates.memory, PM_TREND_BYTES, &fixture->rates.trend);
	pm_trend_judge(&fixture->rates.kept, PM_TREND_BYTES, &fixture->rates.kept_trend);
	struct forecast_source source = headroom_rates_source(&fixture->rates);
	for (size_t i = 0; i < report->headroom.count; i++)
		forecast_make(&source, &report->headroom.limits[i], &report->forecasts[i]);

	return headroom_answer_limit(report);
}

static void expect_time(const struct forecast_time *time, double seconds, bool estimate)
{
	assert_true(time->known);
	assert_true(fabs(time->seconds - seconds) < seconds / 50);
	assert_int_equal(time->estimate, estimate);
}

/** Files in tmpfs fill the cgroup; the process itself does not grow. */
static void usage_of_the_cgroup_counts(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *group = add_limit(fixture, PM_LIMIT_CGROUP, 1000 * MIB, "/a/memory.max");
	struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 500 * MIB, "/proc/meminfo");

	for (unsigned i = 0; i <= 30; i++) {
		group->used = (100 + 10 * i) * MIB;
		group->reclaimable = 50 * MIB;
		system->used = 10 * MIB;
		add_sample(fixture, i, 20 * MIB);
	}

	assert_ptr_equal(forecast(fixture), group);
	struct forecast *forecasts = fixture->report.forecasts;
	expect_time(&forecasts[0].time, 65, false);
	assert_int_equal(forecasts[0].trend.verdict, PM_VERDICT_STEADY);
	assert_false(forecasts[1].time.known);
	assert_false(forecasts[1].by_process.known);
	assert_false(forecasts[0].by_process.known);
}

/** The process grows, but the usage of its cgroup does not. */
static void growth_of_the_process_does_not_count(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *group = add_limit(fixture, PM_LIMIT_CGROUP, 1000 * MIB, "/a/memory.max");
	struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 5000 * MIB, "/proc/meminfo");

	for (unsigned i = 0; i <= 30; i++) {
		group->used = 800 * MIB;
		system->used = (1000 + 20 * i) * MIB;
		add_sample(fixture, i, 10 * i * MIB);
	}

	assert_ptr_equal(forecast(fixture), system);
	struct forecast *forecasts = fixture->report.forecasts;
	assert_true(forecasts[0].measured);
	assert_false(forecasts[0].time.known);
	expect_time(&forecasts[1].time, 170, false);
	expect_time(&forecasts[1].by_process, 340, false);
}

/** At the rate of the process alone, the time of the machine is an estimate. */
static void rate_of_the_process_is_an_estimate_for_the_machine(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 5000 * MIB, "/proc/meminfo");

	for (unsigned i = 0; i <= 30; i++) {
		system->used = 1000 * MIB;
		add_sample(fixture, i, 10 * i * MIB);
	}

	assert_ptr_equal(forecast(fixture), system);
	struct forecast_time time = forecast_time(&fixture->report.forecasts[0]);
	expect_time(&time, 400, true);
	expect_time(&fixture->report.forecasts[0].by_process, 400, false);
}

/** Of two levels, the one with more left is reached first, because its group grows faster. */
static void fastest_level_is_first(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *own = add_limit(fixture, PM_LIMIT_CGROUP, 300 * MIB, "/a/b/memory.max");
	struct pm_limit *outer = add_limit(fixture, PM_LIMIT_CGROUP, 2000 * MIB, "/a/memory.max");
	struct pm_limit *set = add_limit(fixture, PM_LIMIT_CGROUP_WORKING_SET, 1400 * MIB,
	                                 "/a/memory.max");

	for (unsigned i = 0; i <= 30; i++) {
		own->used = (100 + i) * MIB;
		outer->used = set->used = (500 + 20 * i) * MIB;
		add_sample(fixture, i, 0);
	}

	assert_ptr_equal(forecast(fixture), outer);
	expect_time(&fixture->report.forecasts[0].time, 170, false);
	expect_time(&fixture->report.forecasts[1].time, 45, false);
	expect_time(&fixture->report.forecasts[2].time, 15, false);
}

/** Address space grows in few steps: an estimate, but it is reached first. */
static void estimates_are_ranked(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 50000 * MIB, "/proc/meminfo");
	struct pm_limit *space = add_limit(fixture, PM_LIMIT_ADDRESS_SPACE, 2000 * MIB,
	                                   "RLIMIT_AS");

	for (unsigned i = 0; i <= 30; i++) {
		system->used = (1000 + 4 * i) * MIB;
		space->used = (100 + 64 * (i / 12)) * MIB;
		add_sample(fixture, i, 4 * i * MIB);
	}

	assert_ptr_equal(forecast(fixture), space);
	const struct forecast *forecasts = fixture->report.forecasts;
	assert_false(forecasts[0].time.estimate);
	assert_true(forecasts[1].time.known && forecasts[1].time.estimate);
	assert_true(forecasts[1].time.seconds < forecasts[0].time.seconds);
}

/** No rate of address space is known, but memory grows: the limit is near. */
static void address_space_follows_memory(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 50000 * MIB, "/proc/meminfo");
	struct pm_limit *space = add_limit(fixture, PM_LIMIT_ADDRESS_SPACE, 2000 * MIB,
	                                   "RLIMIT_AS");

	for (unsigned i = 0; i <= 15; i++) {
		system->used = (1000 + 4 * i) * MIB;
		space->used = (i < 10 ? 800 : 864) * MIB;
		add_sample(fixture, i, (100 + 4 * i) * MIB);
	}

	assert_ptr_equal(forecast(fixture), space);
	struct forecast_time time = forecast_time(&fixture->report.forecasts[1]);
	assert_false(fixture->report.forecasts[1].time.known);
	expect_time(&time, 1136.0 / 4, true);
}

/** Memory fills address space that is reserved already. */
static void reserved_address_space_is_filled_first(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *space = add_limit(fixture, PM_LIMIT_ADDRESS_SPACE, 2000 * MIB,
	                                   "RLIMIT_AS");

	for (unsigned i = 0; i <= 15; i++) {
		space->used = 1900 * MIB;
		add_sample(fixture, i, (100 + 4 * i) * MIB);
	}

	assert_ptr_equal(forecast(fixture), space);
	struct forecast_time time = forecast_time(&fixture->report.forecasts[0]);
	expect_time(&time, 1840.0 / 4, true);

	/* Without growth of memory, nothing is known. */
	pm_series_deinit(&fixture->rates.memory);
	forecast(fixture);
	assert_false(forecast_time(&fixture->report.forecasts[0]).known);
}

static void threads_of_the_user_run_out_first(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *pids = add_limit(fixture, PM_LIMIT_PIDS, 1000, "/a/pids.max");
	struct pm_limit *user = add_limit(fixture, PM_LIMIT_USER_THREADS, 400, "RLIMIT_NPROC");
	struct pm_limit *threads = add_limit(fixture, PM_LIMIT_THREADS, 500, "threads-max");

	for (unsigned i = 0; i <= 30; i++) {
		pids->used = user->used = threads->used = 10 + 3 * i;
		add_sample(fixture, i, 0);
		assert_int_equal(pm_series_add(&fixture->rates.threads, i, 1 + i, NULL), 0);
	}
	pm_trend_judge(&fixture->rates.threads, PM_TREND_COUNT, &fixture->rates.threads_trend);

	assert_ptr_equal(forecast(fixture), user);
	expect_time(&fixture->report.forecasts[1].time, 100, false);

	/* The user has processes that are not visible. */
	user->approximate = true;
	forecast(fixture);
	expect_time(&fixture->report.forecasts[1].time, 100, true);

	/* The limit does not apply to root. */
	user->approximate = false;
	user->exempt = true;
	assert_ptr_equal(forecast(fixture), threads);
	assert_false(fixture->report.forecasts[1].time.known);
}

/**
 * A process leaks in a cgroup in which another process rises and falls. The process can never use
 * the memory of the machine.
 */
static void sidecar_does_not_hide_the_cgroup(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *group = add_limit(fixture, PM_LIMIT_CGROUP, 400 * MIB, "/a/memory.max");
	struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 20000 * MIB, "/proc/meminfo");

	for (unsigned i = 0; i <= 30; i++) {
		group->used = (20 + i + 12 * (i % 5)) * MIB;
		system->used = (5000 + i + 12 * (i % 5) + 40 * (i % 3)) * MIB;
		add_sample(fixture, i, (20 + i) * MIB);
	}

	group->used = 90 * MIB;
	assert_ptr_equal(forecast(fixture), group);
	struct forecast *forecast = &fixture->report.forecasts[0];
	struct forecast_time time = forecast_time(forecast);
	assert_false(forecast->time.known);
	assert_true(time.by_process);
	expect_time(&time, 310, true);
}

/**
 * The process maps shared memory that another cgroup is charged for: the usage of its own cgroup
 * moves, without a trend, by much less than the process grows.
 */
static void memory_charged_elsewhere_has_no_time(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *group = add_limit(fixture, PM_LIMIT_CGROUP, 1000 * MIB, "/a/memory.max");

	for (unsigned i = 0; i <= 20; i++) {
		group->used = 30 * MIB + (i * 7 % 5 * 100 + i) * 1024;
		add_sample(fixture, i, (20 + i) * MIB);
	}

	assert_ptr_equal(forecast(fixture), group);
	assert_true(fixture->report.forecasts[0].trend.sawtooth);
	assert_int_equal(fixture->rates.kept_trend.verdict, PM_VERDICT_STEADY);
	assert_false(forecast_time(&fixture->report.forecasts[0]).known);
}

/** The same while the usage moves by as much, but the memory of the process itself is constant. */
static void shared_memory_charged_elsewhere_does_not_count(void **state)
{
	struct fixture *fixture = *state;
	struct headroom_rates *rates = &fixture->rates;
	struct pm_limit *group = add_limit(fixture, PM_LIMIT_CGROUP, 400 * MIB, "/a/memory.max");

	for (unsigned i = 0; i <= 30; i++) {
		group->used = (20 + 12 * (i % 5)) * MIB + i * 1024;
		add_sample(fixture, i, (20 + i) * MIB);
	}

	assert_ptr_equal(forecast(fixture), group);
	assert_true(forecast_time(&fixture->report.forecasts[0]).by_process);
	rates->charged_elsewhere = true;
	rates->own_trend = (struct pm_trend){ .verdict = PM_VERDICT_NO_GROWTH };
	forecast(fixture);
	assert_false(forecast_time(&fixture->report.forecasts[0]).known);
}

/** The machine does not win by an estimate over a limit with less left whose time is not known. */
static void tighter_limit_without_a_time_is_first(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 20000 * MIB, "/proc/meminfo");
	struct pm_limit *data = add_limit(fixture, PM_LIMIT_DATA, 400 * MIB, "RLIMIT_DATA");

	for (unsigned i = 0; i <= 30; i++) {
		data->used = 100 * MIB;
		system->used = 5000 * MIB;
		add_sample(fixture, i, (20 + i) * MIB);
	}

	assert_ptr_equal(forecast(fixture), data);
	assert_false(forecast_time(&fixture->report.forecasts[1]).known);
}

/** Adds a sawtooth in a cgroup, with a peak of 70 MiB, over a region that leaks 100 KiB/s. */
static struct pm_limit *add_sawtooth(struct fixture *fixture)
{
	static const struct pm_track track = { .kind = PM_KIND_HEAP, .start = 0x1000 };
	struct pm_limit *group = add_limit(fixture, PM_LIMIT_CGROUP, 90 * MIB, "/a/memory.max");

	for (unsigned i = 0; i <= 60; i++) {
		uint64_t saw = (20 + i % 12 * 50 / 11) * MIB;

		group->used = saw + i;
		add_sample(fixture, i, saw);
	}

	fixture->rates.beneath = &track;
	fixture->rates.beneath_trend = (struct pm_trend){ .verdict = PM_VERDICT_STEADY,
		                                          .rate = 100 * 1024 };
	return group;
}

/** The peaks of a sawtooth reach the limit, wherever in a tooth the measurement ends. */
static void peaks_reach_the_limit_at_the_rate_beneath(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *group = add_sawtooth(fixture);
	const struct forecast *forecasts = fixture->report.forecasts;

	assert_ptr_equal(forecast(fixture), group);
	assert_false(forecasts[0].time.known || forecasts[0].by_process.known);
	struct forecast_time time = forecast_time(&forecasts[0]);
	assert_true(time.beneath && !time.by_process);
	expect_time(&time, 20.0 * 1024 / 100, true);

	/* The usage falls between the last sample and the moment when the limit is read. */
	group->used = 20 * MIB;
	forecast(fixture);
	time = forecast_time(&forecasts[0]);
	expect_time(&time, 20.0 * 1024 / 100, true);

	/* Higher usage than all samples leaves less. */
	group->used = 85 * MIB;
	forecast(fixture);
	time = forecast_time(&forecasts[0]);
	expect_time(&time, 5.0 * 1024 / 100, true);

	/* Without a region that grows, no time is known. */
	fixture->rates.beneath_trend = (struct pm_trend){ 0 };
	forecast(fixture);
	assert_false(forecast_time(&forecasts[0]).known);
}

/** A value that grows in steps, with a sawtooth and noise, at a time. */
static uint64_t value_at(double time, double period, double step, double tooth, double noise)
{
	double value = 1000 + step * floor(time / period) + tooth * fmod(time, 7) / 7 +
	               noise * rand() / RAND_MAX;
	return (uint64_t)(value * (double)MIB);
}

/** Checks that no time of a forecast is sure if its rate is an estimate. */
static void check_sure(const struct forecast *forecast, const struct pm_trend *process)
{
	struct forecast_time time = forecast_time(forecast);
	bool sure = forecast->trend.verdict == PM_VERDICT_STEADY;

	if (forecast->time.known)
		assert_int_equal(forecast->time.estimate, !sure);
	if (forecast->by_process.known)
		assert_int_equal(forecast->by_process.estimate,
		                 process->verdict != PM_VERDICT_STEADY);
	if (time.known && !time.estimate)
		assert_true(sure);
}

static void no_sure_time_from_an_estimate(void **state)
{
	static const double periods[] = { 0.5, 1, 3, 8, 13, 40 }, steps[] = { 0, 1, 20 },
			    teeth[] = { 0, 5, 90 }, noises[] = { 0, 0.5, 10 };
	struct fixture *fixture = *state;
	unsigned sure = 0, estimates = 0;

	for (unsigned i = 0; i < 6 * 3 * 3 * 3; i++) {
		double period = periods[i % 6], step = steps[i / 6 % 3], tooth = teeth[i / 18 % 3],
		       noise = noises[i / 54];
		fixture->report.headroom.count = 0;
		struct pm_limit *group = add_limit(fixture, PM_LIMIT_CGROUP, 1 << 30, "group");
		struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 1 << 30, "system");
		group->max = system->max = UINT64_C(1) << 40;

		for (double time = 0; time <= 30; time += 1) {
			group->used = value_at(time, period, step, tooth, noise);
			system->used = value_at(time, 1, 1, 0, noise);
			add_sample(fixture, time, value_at(time, period, step, tooth, noise));
		}

		forecast(fixture);
		for (size_t j = 0; j < 2; j++) {
			check_sure(&fixture->report.forecasts[j], &fixture->rates.trend);
			sure += fixture->report.forecasts[j].time.known &&
			        !fixture->report.forecasts[j].time.estimate;
			estimates += fixture->report.forecasts[j].time.estimate;
		}
		forget_samples(fixture);
	}

	assert_true(sure > 10 && estimates > 5);
}

/** Adds 31 samples, one each second, in which a limit grows from `used` by `rate` MiB. */
static void grow(struct fixture *fixture, struct pm_limit *limit, uint64_t used, uint64_t rate)
{
	for (unsigned time = 0; time <= 30; time++) {
		limit->used = (used + rate * time) * MIB;
		add_sample(fixture, time, 300 * MIB + limit->used);
	}
}

static void limit_of_a_runtime_is_first(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 20000 * MIB, "/proc/meminfo");
	struct pm_limit *direct = add_limit(fixture, PM_LIMIT_JAVA_DIRECT, 512 * MIB,
	                                    "MaxDirectMemorySize");

	direct->approximate = true;
	system->used = 1000 * MIB;
	grow(fixture, direct, 40, 4);
	assert_ptr_equal(forecast(fixture), direct);
	expect_time(&fixture->report.forecasts[1].time, (512.0 - 160) / 4, true);
}

/**
 * Replaces all limits by the memory of a machine, which is the first one, and the maximum of a
 * heap.
 * @return  the limit of the heap
 */
static struct pm_limit *set_heap(struct fixture *fixture, enum pm_limit_kind kind, uint64_t max)
{
	fixture->report.headroom.count = 0;
	add_limit(fixture, PM_LIMIT_SYSTEM, 20000 * MIB, "/proc/meminfo")->used = 1000 * MIB;
	return add_limit(fixture, kind, max, "maximum");
}

static void growing_heap_with_garbage_is_not_first(void **state)
{
	static const enum pm_limit_kind kinds[] = { PM_LIMIT_JAVA_HEAP, PM_LIMIT_V8_OLD_SPACE,
		                                    PM_LIMIT_GO_MEMORY };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct fixture *fixture = *state;
		struct pm_limit *heap = set_heap(fixture, kinds[i], 256 * MIB);

		grow(fixture, heap, 40, 7);
		assert_int_equal(heap->used, 250 * MIB);
		assert_ptr_equal(forecast(fixture), fixture->report.headroom.limits);
		assert_false(forecast_time(&fixture->report.forecasts[1]).known);
		forget_samples(fixture);
	}
}

/** Collections each 5 s free 40 MiB of garbage; the program keeps 3 MiB more each second. */
static void collections_show_what_is_kept(void **state)
{
	static const enum pm_limit_kind kinds[] = { PM_LIMIT_V8_OLD_SPACE, PM_LIMIT_JAVA_HEAP,
		                                    PM_LIMIT_GO_MEMORY };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct fixture *fixture = *state;
		struct pm_limit *heap = set_heap(fixture, kinds[i], 500 * MIB);

		for (unsigned time = 0; time <= 40; time++) {
			heap->used = (50 + 3 * time + 8 * (time % 5)) * MIB;
			add_sample(fixture, time, 300 * MIB);
		}

		bool v8 = kinds[i] == PM_LIMIT_V8_OLD_SPACE;
		assert_ptr_equal(forecast(fixture), v8 ? heap : fixture->report.headroom.limits);
		struct forecast_time time = forecast_time(&fixture->report.forecasts[1]);
		assert_int_equal(time.known, v8);
		if (v8)
			assert_true(time.estimate && fabs(time.seconds / 110 - 1) < 0.2);
		forget_samples(fixture);
	}
}

static void jvm_that_warms_up_is_not_first(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *system = add_limit(fixture, PM_LIMIT_SYSTEM, 20000 * MIB, "/proc/meminfo");
	struct pm_limit *code = add_limit(fixture, PM_LIMIT_JAVA_CODE, 240 * MIB,
	                                  "ReservedCodeCacheSize");

	system->used = 1000 * MIB;
	grow(fixture, code, 10, 1);
	assert_ptr_equal(forecast(fixture), system);
	assert_true(forecast_time(&fixture->report.forecasts[1]).known);

	forget_samples(fixture);
	grow(fixture, code, 150, 1);
	assert_ptr_equal(forecast(fixture), code);
}

static void limit_without_a_used_part_has_no_series(void **state)
{
	struct fixture *fixture = *state;
	struct pm_limit *direct = add_limit(fixture, PM_LIMIT_JAVA_DIRECT, 512 * MIB,
	                                    "MaxDirectMemorySize");

	direct->used_unknown = true;
	add_sample(fixture, 0, 300 * MIB);
	assert_null(limit_counters_find(&fixture->rates.counters, direct));
	assert_null(forecast(fixture));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(peaks_reach_the_limit_at_the_rate_beneath),
		TEST(usage_of_the_cgroup_counts),
		TEST(growth_of_the_process_does_not_count),
		TEST(rate_of_the_process_is_an_estimate_for_the_machine),
		TEST(fastest_level_is_first),
		TEST(estimates_are_ranked),
		TEST(address_space_follows_memory),
		TEST(reserved_address_space_is_filled_first),
		TEST(threads_of_the_user_run_out_first),
		TEST(sidecar_does_not_hide_the_cgroup),
		TEST(memory_charged_elsewhere_has_no_time),
		TEST(shared_memory_charged_elsewhere_does_not_count),
		TEST(tighter_limit_without_a_time_is_first),
		TEST(no_sure_time_from_an_estimate),
		TEST(limit_of_a_runtime_is_first),
		TEST(growing_heap_with_garbage_is_not_first),
		TEST(collections_show_what_is_kept),
		TEST(jvm_that_warms_up_is_not_first),
		TEST(limit_without_a_used_part_has_no_series),
	};

	srand(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
