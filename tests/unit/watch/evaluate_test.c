/* SPDX-License-Identifier: MIT */
/* Conditions of `procmem watch`: their syntax, when they hold, and how often they are met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "target/selection.h"
#include "watch/events/action.h"
#include "watch/events/evaluate.h"

#define MIB (UINT64_C(1) << 20)

static struct condition parse(const char *text)
{
	struct condition condition;
	struct pm_error error = { 0 };
	if (condition_parse(&condition, text, &error) < 0)
		fail_msg("%s: %s", text, error.text);
	return condition;
}

static void refuse(const char *text, const char *why)
{
	struct condition condition;
	struct pm_error error = { 0 };
	if (condition_parse(&condition, text, &error) == 0)
		fail_msg("%s was accepted", text);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	if (!strstr(error.text, why))
		fail_msg("%s: '%s' lacks '%s'", text, error.text, why);
}

static void expect(const char *text, enum condition_subject subject, bool below, bool percent,
                   double seconds, double value)
{
	struct condition condition = parse(text);
	assert_int_equal(condition.subject, subject);
	assert_int_equal(condition.below, below);
	assert_int_equal(condition.percent, percent);
	assert_true(condition.seconds == seconds);
	assert_int_equal(condition.count, 1);
	assert_true(condition.thresholds->value == value);
	assert_string_equal(condition.thresholds->text, text);

	condition_deinit(&condition);
}

static void documented_conditions(void **state)
{
	(void)state;
	expect("rss>2G", CONDITION_RSS, false, false, 0, 2048.0 * MIB);
	expect("grow>200M/60s", CONDITION_GROW, false, false, 60, 200.0 * MIB);
	expect("grow>200M", CONDITION_GROW, false, false, 0, 200.0 * MIB);
	expect("rate>10M/h", CONDITION_RATE, false, false, 3600, 10.0 * MIB);
	expect("rate>1K", CONDITION_RATE, false, false, 1, 1024);
	expect("region>500M", CONDITION_REGION, false, false, 0, 500.0 * MIB);
	expect("headroom<15%", CONDITION_HEADROOM, true, true, 0, 15);

	expect("headroom<0.5%", CONDITION_HEADROOM, true, true, 0, 0.5);
	expect("regions>50000", CONDITION_REGIONS, false, false, 0, 50000);
	expect("threads<3", CONDITION_THREADS, true, false, 0, 3);

	struct condition kinds = parse("kind:arena,malloc>1G");
	assert_int_equal(kinds.kinds, 1u << PM_KIND_ARENA | 1u << PM_KIND_MALLOC);
	assert_string_equal(kinds.thresholds->text, "kind:arena,malloc>1G");
	condition_deinit(&kinds);
}

/** Values are in the order in which they are passed, each with a text of its own. */
static void lists(void **state)
{
	(void)state;
	static const char *const up[] = { "rss>1G", "rss>1.5G", "rss>3G" }, *const down[] = {
		"headroom<50%", "headroom<25%", "headroom<10%"
	};
	struct condition above = parse("rss > 3G, 1G,1.5G"), below = parse("headroom<10%,50%,25%");

	assert_int_equal(above.count, 3);
	assert_int_equal(below.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(above.thresholds[i].text, up[i]);
		assert_string_equal(below.thresholds[i].text, down[i]);
	}

	condition_deinit(&above);
	condition_deinit(&below);
}

static void refusals(void **state)
{
	(void)state;
	refuse("", "contains neither");
	refuse("rss", "contains neither");
	refuse("rss=2G", "contains neither < nor >");
	refuse("ram>2G", "'ram' cannot be compared");
	refuse("kind>2G", "cannot be compared");
	refuse("kind:>1G", "");
	refuse("kind:arena,heapp>1G", "heapp");

	refuse("rss>", "a value is missing after >");
	refuse("rss>1G,", "a value is missing after the last comma");
	refuse("rss>,1G", "a value is missing before the comma");
	refuse("rss>-1", "");
	refuse("rss>much", "much");
	refuse("rss>1G/60s", "only grow and rate");
	refuse("grow<1G/60s", "grow supports only >, not <");
	refuse("grow>1G/", "missing");

	refuse("grow>1G/soon", "duration");
	refuse("grow>5%/60s", "cannot be compared with a percentage");
	refuse("regions>5%", "cannot be compared with a percentage");
	refuse("headroom<101%", "at most 100%");
	refuse("headroom<1.%", "not a percentage");
	refuse("headroom<15%,1G", "not both");
	refuse("regions>1.5", "");
}

/** A fake history. */
struct fixture {
	struct selection selection;
	struct watch_history history;
	struct pm_regions regions;
};

static void add_region(struct fixture *fixture, uint64_t start, uint64_t size, enum pm_kind kind,
                       const char *mapping)
{
	struct pm_region region = { .start = start,
		                    .end = start + size,
		                    .kind = (uint8_t)kind,
		                    .mapping = mapping,
		                    .perms = PM_PERM_READ | PM_PERM_WRITE };

	region.bytes[PM_SIZE_RSS] = size;
	region.known = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP);
	assert_int_equal(pm_regions_append(&fixture->regions, &region, NULL), 0);
}

static void open_fixture(struct fixture *fixture)
{
	*fixture = (struct fixture){ 0 };
	pm_regions_init(&fixture->regions);
	assert_int_equal(selection_init(&fixture->selection, NULL), 0);
	assert_int_equal(pm_tracker_create(&fixture->history.tracker, NULL), 0);
	fixture->history.sample.regions = &fixture->regions;
	add_region(fixture, 0x10000, 4 * MIB, PM_KIND_ARENA, "");
	add_region(fixture, 0x10000000, 6 * MIB, PM_KIND_ARENA, "");
	add_region(fixture, 0x20000000, 9 * MIB, PM_KIND_FILE, "/data");
}

/** Adds a sample. */
static void add_sample(struct fixture *fixture, double time, uint64_t rss)
{
	fixture->history.sample.time = time;
	fixture->history.sample.totals.rss = rss;
	assert_int_equal(pm_series_add(&fixture->history.memory.series, time, rss, NULL), 0);
	assert_int_equal(pm_tracker_add(fixture->history.tracker, time, &fixture->regions, NULL),
	                 0);
}

static void close_fixture(struct fixture *fixture)
{
	pm_series_deinit(&fixture->history.memory.series);
	pm_tracker_destroy(fixture->history.tracker);
	selection_deinit(&fixture->selection);
	pm_regions_deinit(&fixture->regions);
}

/** Conditions are compared with the fixture. */
static struct evaluate evaluate_in(const struct fixture *fixture, bool again, double cool_down)
{
	return (struct evaluate){ .history = &fixture->history,
		                  .select = fixture->selection.select,
		                  .again = again,
		                  .cool_down = cool_down };
}

static double measure(const struct fixture *fixture, const char *text)
{
	struct condition condition = parse(text);
	const struct evaluate evaluate = evaluate_in(fixture, false, 0);
	double value;

	if (!evaluate_measure(&condition, &evaluate, &value))
		value = -1;
	condition_deinit(&condition);
	return value;
}

static void compared_values(void **state)
{
	(void)state;
	struct fixture fixture;
	open_fixture(&fixture);
	add_sample(&fixture, 100, 19 * MIB);
	fixture.history.sample.totals.threads = 7;
	assert_true(measure(&fixture, "rss>1") == 19.0 * MIB);
	assert_true(measure(&fixture, "threads>1") == 7);
	assert_true(measure(&fixture, "regions>1") == 3);

	assert_true(measure(&fixture, "kind:arena>1") == 10.0 * MIB);
	assert_true(measure(&fixture, "kind:arena,file>1") == 19.0 * MIB);
	assert_true(measure(&fixture, "region>1") == 9.0 * MIB);

	/* Without a limit there are no percentages of it. */
	assert_true(measure(&fixture, "headroom<1G") == -1);
	assert_true(measure(&fixture, "rss>80%") == -1);
	fixture.history.headroom.count = 1;
	fixture.history.headroom.limits[0] = (struct pm_limit){
		.kind = PM_LIMIT_CGROUP, .max = 38 * MIB, .used = 30 * MIB, .reclaimable = 11 * MIB
	};
	assert_true(measure(&fixture, "headroom<1G") == 19.0 * MIB);

	assert_true(measure(&fixture, "headroom<15%") == 50);
	assert_true(measure(&fixture, "rss>80%") == 50);

	/* Only the regions that were chosen. */
	assert_int_equal(pm_select_set_kinds(fixture.selection.select, "arena", NULL), 0);
	assert_true(measure(&fixture, "region>1") == 6.0 * MIB);
	close_fixture(&fixture);
}

static void growth_and_rate(void **state)
{
	(void)state;
	struct fixture fixture;
	open_fixture(&fixture);
	add_sample(&fixture, 100, 10 * MIB);
	add_sample(&fixture, 110, 50 * MIB);
	add_sample(&fixture, 120, 20 * MIB);
	add_sample(&fixture, 130, 24 * MIB);
	assert_true(measure(&fixture, "grow>1") == 14.0 * MIB);

	assert_true(measure(&fixture, "grow>1/15s") == 4.0 * MIB);
	assert_true(measure(&fixture, "grow>1/5s") == 2.0 * MIB);
	assert_true(measure(&fixture, "grow>1/1h") == 14.0 * MIB);
	fixture.history.memory.trend = (struct pm_trend){ .verdict = PM_VERDICT_BURST,
		                                          .rate = 1000 };
	assert_true(measure(&fixture, "rate>1/min") == -1);
	fixture.history.memory.trend.verdict = PM_VERDICT_STEADY;
	assert_true(measure(&fixture, "rate>1/min") == 60000);
	close_fixture(&fixture);
}

/**
 * Evaluates a condition after another sample.
 * @return the text of the threshold that was met, or ""
 */
static const char *evaluate_at(struct condition *condition, struct fixture *fixture, double time,
                               uint64_t rss, bool again)
{
	const struct evaluate evaluate = evaluate_in(fixture, again, 60);
	struct firing firing;

	add_sample(fixture, time, rss);
	if (!evaluate_condition(condition, &evaluate, &firing))
		return "";

	return firing.threshold->text;
}

static void each_threshold_once(void **state)
{
	(void)state;
	struct fixture fixture;
	struct condition condition = parse("rss>10M,20M,30M");
	open_fixture(&fixture);
	assert_string_equal(evaluate_at(&condition, &fixture, 1, 10 * MIB, false), "");
	assert_string_equal(evaluate_at(&condition, &fixture, 2, 11 * MIB, false), "rss>10M");
	assert_string_equal(evaluate_at(&condition, &fixture, 3, 12 * MIB, false), "");
	assert_string_equal(evaluate_at(&condition, &fixture, 4, 5 * MIB, false), "");

	assert_string_equal(evaluate_at(&condition, &fixture, 5, 12 * MIB, false), "");
	/* Two at once are one event. The skipped threshold is not met later. */
	assert_string_equal(evaluate_at(&condition, &fixture, 6, 31 * MIB, false), "rss>30M");
	assert_string_equal(evaluate_at(&condition, &fixture, 500, 25 * MIB, false), "");
	assert_string_equal(evaluate_at(&condition, &fixture, 1000, 31 * MIB, false), "");
	condition_deinit(&condition);
	close_fixture(&fixture);
}

static void acts_again_after_the_cool_down(void **state)
{
	(void)state;
	struct fixture fixture;
	struct condition condition = parse("rss>10M,20M");
	open_fixture(&fixture);
	assert_string_equal(evaluate_at(&condition, &fixture, 1, 11 * MIB, true), "rss>10M");
	assert_string_equal(evaluate_at(&condition, &fixture, 60, 11 * MIB, true), "");
	assert_string_equal(evaluate_at(&condition, &fixture, 61, 11 * MIB, true), "rss>10M");

	/* The next threshold does not wait for the cool-down of the previous one. */
	assert_string_equal(evaluate_at(&condition, &fixture, 62, 21 * MIB, true), "rss>20M");
	assert_string_equal(evaluate_at(&condition, &fixture, 63, 11 * MIB, true), "");
	assert_string_equal(evaluate_at(&condition, &fixture, 122, 11 * MIB, true), "rss>10M");
	condition_deinit(&condition);
	close_fixture(&fixture);
}

static void culprits(void **state)
{
	(void)state;
	struct fixture fixture;
	struct firing firing;
	struct condition rss = parse("rss>1M"), region = parse("region>1M"),
			 kind = parse("kind:arena>1M");

	open_fixture(&fixture);
	add_sample(&fixture, 1, 19 * MIB);
	const struct evaluate evaluate = evaluate_in(&fixture, false, 0);

	/* The smaller arena grows; the file stays the largest. */
	fixture.regions.items[0].end += 2 * MIB;
	fixture.regions.items[0].bytes[PM_SIZE_RSS] += 2 * MIB;
	add_sample(&fixture, 2, 21 * MIB);
	assert_true(evaluate_condition(&rss, &evaluate, &firing));
	assert_true(firing.culprit.known);
	assert_int_equal(firing.culprit.start, 0x10000);
	assert_int_equal(firing.culprit.end, 0x10000 + 6 * MIB);

	assert_true(evaluate_condition(&region, &evaluate, &firing));
	assert_int_equal(firing.culprit.start, 0x20000000);
	assert_int_equal(firing.culprit.kind, PM_KIND_FILE);
	assert_string_equal(firing.culprit.mapping, "/data");
	assert_true(evaluate_condition(&kind, &evaluate, &firing));
	assert_int_equal(firing.culprit.kind, PM_KIND_ARENA);
	condition_deinit(&rss);
	condition_deinit(&region);

	condition_deinit(&kind);
	close_fixture(&fixture);
}

static void actions(void **state)
{
	(void)state;
	static const char *const wrong[] = { "",      "exit:", "exit:1",  "exec",     "exec:",
		                             "snap:", "dump",  "dump:a%", "dump:%z",  "halt",
		                             "why",   "why:",  "why:%z",  "execute:x" };
	struct action action;
	struct pm_error error;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (action_parse(&action, wrong[i], &error) == 0)
			fail_msg("'%s' was accepted", wrong[i]);

	assert_int_equal(action_parse(&action, "exit", NULL), 0);
	assert_int_equal(action.kind, ACTION_EXIT);
	assert_int_equal(action_parse(&action, "exec:date +%s", NULL), 0);
	assert_int_equal(action.kind, ACTION_EXEC);
	assert_string_equal(action.argument, "date +%s");
	assert_int_equal(action_parse(&action, "dump:/tmp/%p.%n.%t.%k.%a.100%%", NULL), 0);
	assert_int_equal(action.kind, ACTION_DUMP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documented_conditions),
		cmocka_unit_test(lists),
		cmocka_unit_test(refusals),
		cmocka_unit_test(compared_values),
		cmocka_unit_test(growth_and_rate),
		cmocka_unit_test(each_threshold_once),
		cmocka_unit_test(acts_again_after_the_cool_down),
		cmocka_unit_test(culprits),
		cmocka_unit_test(actions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
