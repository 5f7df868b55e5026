/* SPDX-License-Identifier: MIT */
/* The history of a watched process: growth, limits, sums by kind, and copies for a paused screen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "watch/format.h"
#include "watch/verdict.h"
#include "watch/view.h"

#define MIB (UINT64_C(1) << 20)

/** A fake process with one growing region and one that does not change. */
struct fixture {
	struct watch_history history;
	struct watch_view view;
	struct pm_regions regions;
	bool held_back; /* the budget did not allow the regions of the next samples to be read */
};

static void add_region(struct fixture *fixture, uint64_t start, uint64_t size, enum pm_kind kind)
{
	struct pm_region region = { .start = start,
		                    .end = start + size,
		                    .kind = (uint8_t)kind,
		                    .perms = PM_PERM_READ | PM_PERM_WRITE,
		                    .mapping = "" };

	region.bytes[PM_SIZE_RSS] = size;
	region.known = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP);
	assert_int_equal(pm_regions_append(&fixture->regions, &region, NULL), 0);
}

/** Adds a sample in which the first region has a size. */
static void add_sample(struct fixture *fixture, double time, uint64_t size)
{
	struct watch_history *history = &fixture->history;
	struct pm_region *region = &fixture->regions.items[0];
	struct pm_error error;

	region->end = region->start + size;
	region->bytes[PM_SIZE_RSS] = size;

	const struct pm_sample sample = { .time = time,
		                          .totals.rss = size + 8 * MIB,
		                          .regions = &fixture->regions,
		                          .fresh = !fixture->held_back,
		                          .held_back = fixture->held_back };
	assert_int_equal(watch_history_add(history, &sample, &error), 0);
	watch_history_judge(history);
	assert_int_equal(watch_history_follow(history, &error), 0);
	assert_int_equal(watch_view_update(&fixture->view, history, &error), 0);
	assert_int_equal(watch_history_add_kinds(history, fixture->view.kinds, &error), 0);
}

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .view.top = 10 };
	pm_regions_init(&fixture.regions);
	assert_int_equal(pm_tracker_create(&fixture.history.tracker, NULL), 0);
	add_region(&fixture, 0x10000000, MIB, PM_KIND_ARENA);
	add_region(&fixture, 0x80000000, 8 * MIB, PM_KIND_ANON);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	watch_view_deinit(&fixture->view);
	watch_history_deinit(&fixture->history);
	pm_regions_deinit(&fixture->regions);
	return 0;
}

static void only_changed_tracks_have_rows(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, 0, MIB);
	assert_int_equal(fixture->view.row_count, 0);
	add_sample(fixture, 1, 3 * MIB);
	assert_int_equal(fixture->view.row_count, 1);
	assert_int_equal(fixture->view.rows[0].growth, 2 * MIB);
	assert_int_equal(fixture->view.rows[0].track->kind, PM_KIND_ARENA);

	/* Sorted by size, all have a row. */
	fixture->view.sort = WATCH_BY_RSS;
	assert_int_equal(watch_view_update(&fixture->view, &fixture->history, NULL), 0);
	assert_int_equal(fixture->view.row_count, 2);
	assert_int_equal(fixture->view.rows[0].track->kind, PM_KIND_ANON);
}

static void growth_counts_from_the_baseline(void **state)
{
	struct fixture *fixture = *state;
	struct watch_sums kinds;

	add_sample(fixture, 0, MIB);
	add_sample(fixture, 1, 3 * MIB);
	watch_history_rebase(&fixture->history);
	add_sample(fixture, 2, 4 * MIB);
	assert_int_equal(fixture->view.rows[0].growth, MIB);
	assert_int_equal(fixture->history.first.rss, 11 * MIB);

	watch_view_sum_kinds(&kinds, &fixture->history, WATCH_BY_GROWTH);
	assert_int_equal(kinds.count, 2);
	assert_int_equal(kinds.rows[0].track->kind, PM_KIND_ARENA);
	assert_int_equal(kinds.rows[0].growth, MIB);
	assert_int_equal(kinds.rows[1].growth, 0);
}

/** Checks the text on the limits. */
static void expect_limit(const struct watch_history *history, const char *expected)
{
	struct text text = { 0 };

	watch_format_limit(history, false, &text);
	assert_string_equal(text_terminate(&text), expected);
	text_deinit(&text);
}

/** Sizes that the budget held back say nothing about the growth of a kind. */
static void kinds_leave_out_samples_that_were_held_back(void **state)
{
	struct fixture *fixture = *state;
	const struct pm_track *kind = &fixture->history.kinds[PM_KIND_ARENA];
	struct pm_trend trend;

	for (unsigned i = 0; i <= 40; i++) {
		uint64_t measured = (1 + 4 * (i - i % 8)) * MIB;

		fixture->held_back = i % 8 != 0;
		add_sample(fixture, i, measured);
		assert_int_equal(kind->delta, i % 8 == 0 && i > 0 ? 32 * MIB : 0);
	}

	assert_int_equal(kind->series.samples, 6);
	pm_trend_judge(&kind->series, PM_TREND_BYTES, &trend);
	assert_int_equal(trend.verdict, PM_VERDICT_STEADY);
	assert_true(trend.rate > 3.9 * MIB && trend.rate < 4.1 * MIB);
}

static void time_left_needs_steady_growth(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history *history = &fixture->history;
	struct pm_headroom headroom = { .count = 1 };
	struct pm_limit *limit = &headroom.limits[0];

	*limit = (struct pm_limit){ .kind = PM_LIMIT_SYSTEM,
		                    .max = 1000 * MIB,
		                    .used = 980 * MIB,
		                    .source = "/proc/meminfo" };
	add_sample(fixture, 0, MIB);
	watch_history_set_headroom(history, &headroom, false);
	assert_false(watch_history_time(history, limit).known);
	for (unsigned i = 1; i <= 20; i++) {
		add_sample(fixture, i, (1 + 2 * i) * MIB);
		watch_history_set_headroom(history, &headroom, false);
	}

	/* The machine does not fill up, so the time is only that at the rate of the process. */
	struct forecast_time time = watch_history_time(history, limit);
	assert_true(time.known && time.estimate && time.by_process);
	assert_true(time.seconds > 9 && time.seconds < 11);
	expect_limit(history, "  machine 1000.0M: full in about 10s at this process's rate");
	history->gone = true;
	assert_false(watch_history_time(history, limit).known);
}

/**
 * Another process uses the memory of the machine faster than the watched process, whose cgroup
 * leaves less, but does not fill up.
 */
static void machine_fills_at_its_own_rate(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history *history = &fixture->history;
	struct pm_headroom headroom = { .count = 2 };
	struct pm_limit *group = &headroom.limits[0], *machine = &headroom.limits[1];

	*group = (struct pm_limit){
		.kind = PM_LIMIT_CGROUP, .max = 400 * MIB, .used = 300 * MIB, .source = "/a"
	};
	*machine = (struct pm_limit){ .kind = PM_LIMIT_SYSTEM,
		                      .max = 10000 * MIB,
		                      .source = "/proc/meminfo" };
	for (unsigned i = 0; i <= 20; i++) {
		machine->used = (1000 + 40 * i) * MIB;
		add_sample(fixture, i, (1 + i) * MIB);
		watch_history_set_headroom(history, &headroom, false);
	}

	struct forecast_time time = watch_history_time(history, machine);
	assert_true(time.known && !time.estimate && !time.by_process);
	assert_true(time.seconds > 200 && time.seconds < 210);
	assert_int_equal(watch_history_first_limit(history)->kind, PM_LIMIT_SYSTEM);
	expect_limit(history, "  machine 9.8G: full in 3m 25s");
}

/** The page cache of the cgroup grows, or another process in it: not the watched one. */
static void a_cgroup_grows_outside_of_the_process(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history *history = &fixture->history;
	struct pm_headroom headroom = { .count = 1 };
	struct pm_limit *group = &headroom.limits[0];

	*group = (struct pm_limit){ .kind = PM_LIMIT_CGROUP, .max = 400 * MIB, .source = "/a" };
	for (unsigned i = 0; i <= 20; i++) {
		group->used = (100 + 4 * i) * MIB;
		add_sample(fixture, i, MIB);
		watch_history_set_headroom(history, &headroom, false);
	}

	assert_true(watch_format_fills_outside(history));
	expect_limit(history, "  limit 400.0M: full in 55s (the group grows, not this process)");
	history->gone = true;
	assert_false(watch_format_fills_outside(history));
}

/** A process that grows fills its cgroup. */
static void a_process_fills_its_cgroup(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history *history = &fixture->history;
	struct pm_headroom headroom = { .count = 1 };
	struct pm_limit *group = &headroom.limits[0];

	*group = (struct pm_limit){ .kind = PM_LIMIT_CGROUP, .max = 400 * MIB, .source = "/a" };
	for (unsigned i = 0; i <= 20; i++) {
		group->used = (100 + 4 * i) * MIB;
		add_sample(fixture, i, (1 + 4 * i) * MIB);
		watch_history_set_headroom(history, &headroom, false);
	}

	assert_false(watch_format_fills_outside(history));
	expect_limit(history, "  limit 400.0M: full in 55s");
}

/** Another process of the cgroup starts the threads that count. */
static void threads_of_the_cgroup_count(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history *history = &fixture->history;
	struct pm_headroom headroom = { .count = 1 }, none = { 0 };
	struct pm_limit *limit = &headroom.limits[0];

	*limit = (struct pm_limit){
		.kind = PM_LIMIT_PIDS, .counts = true, .max = 1000, .source = "/a/pids.max"
	};
	for (unsigned i = 0; i <= 40; i++) {
		limit->used = 100 + 10 * i;
		add_sample(fixture, i, MIB);

		/* The limit is read for each second sample only, and kept between. */
		watch_history_set_headroom(history, i % 2 ? &none : &headroom, i % 2 == 0);
		assert_int_equal(history->headroom.count, 1);
		assert_int_equal(history->limits_read, i % 2 == 0);
	}

	struct forecast_time time = watch_history_time(history, limit);
	assert_true(time.known && !time.estimate);
	assert_true(time.seconds > 49 && time.seconds < 51);
	assert_int_equal(watch_history_first_limit(history)->kind, PM_LIMIT_PIDS);
}

/**
 * Other processes start threads, which use up kernel.pid_max. This is not the first limit of a
 * process that starts none, unless nearly all IDs are in use.
 */
static void threads_of_the_machine_do_not_count(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history *history = &fixture->history;
	struct pm_headroom headroom = { .count = 2 };
	struct pm_limit *ids = &headroom.limits[0], *machine = &headroom.limits[1];

	*ids = (struct pm_limit){ .kind = PM_LIMIT_PID_MAX, .counts = true, .max = 1000 };
	*machine = (struct pm_limit){ .kind = PM_LIMIT_SYSTEM,
		                      .max = 10000 * MIB,
		                      .used = 1000 * MIB };
	for (unsigned i = 0; i <= 40; i++) {
		ids->used = 100 + 10 * i;
		add_sample(fixture, i, MIB);
		watch_history_set_headroom(history, &headroom, true);
	}

	assert_true(watch_history_time(history, ids).known);
	assert_int_equal(watch_history_first_limit(history)->kind, PM_LIMIT_SYSTEM);

	for (unsigned i = 41; i <= 85; i++) {
		ids->used = 100 + 10 * i;
		add_sample(fixture, i, MIB);
		watch_history_set_headroom(history, &headroom, true);
	}
	assert_int_equal(watch_history_first_limit(history)->kind, PM_LIMIT_PID_MAX);
}

/** Adds a sample whose total has a value of its own. */
static void add_total(struct fixture *fixture, double time, uint64_t size, uint64_t total)
{
	struct watch_history *history = &fixture->history;
	struct pm_region *region = &fixture->regions.items[0];
	const struct pm_sample sample = {
		.time = time, .totals.rss = total, .regions = &fixture->regions, .fresh = true
	};

	region->end = region->start + size;
	region->bytes[PM_SIZE_RSS] = size;
	assert_int_equal(watch_history_add(history, &sample, NULL), 0);
	watch_history_judge(history);
	assert_int_equal(watch_history_follow(history, NULL), 0);
	watch_history_find_beneath(history);
}

/** The headline of a history. The caller releases it. */
static const char *headline(const struct watch_history *history, struct text *text)
{
	text_clear(text);
	watch_verdict_headline(history, false, text);
	return text_terminate(text);
}

static void headline_names_what_grows(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history *history = &fixture->history;
	struct text text = { 0 };

	/* An arena leaks beneath a sawtooth of 90 MiB: 10 s up, 10 s down. */
	for (unsigned i = 0; i <= 60; i++) {
		unsigned phase = i % 20;
		uint64_t saw = (phase < 10 ? phase : 20 - phase) * 9 * MIB;

		add_total(fixture, i, MIB + i * 100 * 1024, 300 * MIB + saw);
	}

	assert_string_equal(headline(history, &text),
	                    "plateau overall (sawtooth of 90.0M, floor 300.0M); beneath it arena "
	                    "10000000 grows steadily, +100.0K/s");

	/* The limit is judged before the regions are: the estimate is added afterwards. */
	struct pm_headroom headroom = {
		.count = 1,
		.limits = { { .kind = PM_LIMIT_CGROUP, .max = 400 * MIB, .used = 300 * MIB } }
	};
	watch_history_set_headroom(history, &headroom, false);
	watch_history_find_beneath(history);
	struct forecast_time time = watch_history_time(history, &headroom.limits[0]);
	assert_true(time.known && time.estimate && time.beneath);
	text_clear(&text);
	watch_format_limit(history, false, &text);
	assert_non_null(strstr(text_terminate(&text),
	                       "limit 400.0M: full in about 17m 4s at the rate of arena 10000000"));

	text_clear(&text);
	watch_verdict_short(history, false, &text);
	assert_string_equal(text_terminate(&text),
	                    "plateau overall  sawtooth of 90.0M  floor 300.0M  beneath it arena "
	                    "10000000 grows steadily, +100.0K/s");
	text_deinit(&text);
}

static void lock_time_is_an_upper_bound(void **state)
{
	struct fixture *fixture = *state;
	struct text text = { 0 };

	fixture->history.samples = 2;
	fixture->history.sample.cost.lock_ns = 20000;
	watch_format_cost(&fixture->history, &text);
	assert_non_null(strstr(text_terminate(&text), "map lock \xe2\x89\xa4 0.1ms"));
	text_deinit(&text);
}

static void growth_itself_needs_no_track(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history *history = &fixture->history;
	struct text text = { 0 };

	add_total(fixture, 0, MIB, 300 * MIB);
	assert_string_equal(headline(history, &text),
	                    "too early (seen for 0.0s in 1 sample; needs 10s and 5 samples)");
	assert_null(history->beneath.track);
	for (unsigned i = 1; i <= 12; i++)
		add_total(fixture, i, MIB, 300 * MIB);
	assert_string_equal(headline(history, &text), "no growth seen in 12s");

	/* The process and the arena grow together: the track would say nothing new. */
	for (unsigned i = 13; i <= 40; i++)
		add_total(fixture, i, i * MIB, (300 + i) * MIB);
	assert_null(history->beneath.track);
	assert_int_equal(history->memory.trend.verdict, PM_VERDICT_STEADY);
	text_deinit(&text);
}

/** The time until the limit of a cgroup is that of its usage, whether the process grows or not. */
static void usage_of_the_cgroup_counts(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history *history = &fixture->history;
	struct pm_headroom headroom = { .count = 2 };
	struct pm_limit *full = &headroom.limits[0], *still = &headroom.limits[1];

	*full = (struct pm_limit){ .kind = PM_LIMIT_CGROUP, .max = 500 * MIB, .source = "/a" };
	*still = (struct pm_limit){ .kind = PM_LIMIT_CGROUP, .max = 900 * MIB, .source = "/" };
	for (unsigned i = 0; i <= 20; i++) {
		add_sample(fixture, i, (1 + 4 * i) * MIB);
		full->used = (100 + 10 * i) * MIB;
		full->reclaimable = 50 * MIB;
		still->used = 700 * MIB;
		watch_history_set_headroom(history, &headroom, false);
	}

	struct forecast_time time = watch_history_time(history, full);
	assert_true(time.known && time.seconds > 24 && time.seconds < 26);
	assert_false(watch_history_time(history, still).known);

	struct watch_history copy;
	watch_history_copy(&copy, history);
	time = watch_history_time(&copy, &copy.headroom.limits[0]);
	assert_true(time.known && time.seconds > 24 && time.seconds < 26);
	watch_history_deinit(&copy);
}

static void copy_keeps_values(void **state)
{
	struct fixture *fixture = *state;
	struct watch_history copy;
	struct pm_regions details;
	struct pm_track track;

	add_sample(fixture, 0, MIB);
	add_sample(fixture, 1, 3 * MIB);
	watch_history_copy(&copy, &fixture->history);
	pm_regions_init(&details);
	assert_int_equal(
		watch_history_copy_track(&track, fixture->view.rows[0].track, &details, NULL), 0);
	add_sample(fixture, 2, 9 * MIB);

	const struct pm_track *const tracks[] = { &track };
	copy.tracks = tracks;
	copy.track_count = 1;
	assert_int_equal(copy.samples, 2);
	assert_int_equal(copy.sample.totals.rss, 11 * MIB);
	assert_int_equal(copy.memory.series.count, 2);
	assert_null(copy.sample.regions);

	/* Its rows can be made again in any order. */
	struct watch_view view = { .sort = WATCH_BY_RATE, .all_rows = true };
	struct watch_sums kinds;
	assert_int_equal(watch_view_update(&view, &copy, NULL), 0);
	assert_int_equal(view.row_count, 1);
	assert_int_equal(view.rows[0].growth, 2 * MIB);
	watch_view_sum_kinds(&kinds, &copy, WATCH_BY_GROWTH);
	assert_int_equal(kinds.rows[0].growth, 2 * MIB);

	watch_view_deinit(&view);
	watch_history_deinit_track(&track);
	pm_regions_deinit(&details);
	watch_history_deinit(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_changed_tracks_have_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(growth_counts_from_the_baseline, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kinds_leave_out_samples_that_were_held_back, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(time_left_needs_steady_growth, set_up, tear_down),
		cmocka_unit_test_setup_teardown(machine_fills_at_its_own_rate, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cgroup_grows_outside_of_the_process, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(a_process_fills_its_cgroup, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_of_the_cgroup_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_of_the_machine_do_not_count, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(usage_of_the_cgroup_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(headline_names_what_grows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(growth_itself_needs_no_track, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lock_time_is_an_upper_bound, set_up, tear_down),
		cmocka_unit_test_setup_teardown(copy_keeps_values, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
