/* SPDX-License-Identifier: MIT */
/* Conditions of `procmem watch`: what is understood, when they hold, and how often they are met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "watch/events/actions.h"

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
		fail_msg("%s was understood", text);
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

/** In the order in which they are passed, each with a text of its own. */
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
	refuse("", "compares nothing");
	refuse("rss", "compares nothing");
	refuse("rss=2G", "compares nothing, it lacks < or >");
	refuse("ram>2G", "'ram' cannot be compared");
	refuse("kind>2G", "cannot be compared");
	refuse("kind:>1G", "");
	refuse("kind:arena,heapp>1G", "heapp");

	refuse("rss>", "there is no value behind >");
	refuse("rss>1G,", "a value is missing behind the last comma");
	refuse("rss>,1G", "a value is missing before the comma");
	refuse("rss>-1", "");
	refuse("rss>much", "much");
	refuse("rss>1G/60s", "only grow and rate");
	refuse("grow<1G/60s", "> only");
	refuse("grow>1G/", "missing");

	refuse("grow>1G/soon", "no duration");
	refuse("grow>5%/60s", "no percentages");
	refuse("regions>5%", "no percentages");
	refuse("headroom<101%", "more than the whole");
	refuse("headroom<1.%", "no percentage");
	refuse("headroom<15%,1G", "not both");
	refuse("regions>1.5", "");
}

/** What watch sees, made up. */
struct view {
	struct watch_options options;
	struct watch watch;
	struct pm_regions regions;
};

static void add_region(struct view *view, uint64_t start, uint64_t size, enum pm_kind kind,
                       const char *mapping)
{
	struct pm_region region = { .start = start,
		                    .end = start + size,
		                    .kind = (uint8_t)kind,
		                    .mapping = mapping,
		                    .perms = PM_PERM_READ | PM_PERM_WRITE };

	region.bytes[PM_SIZE_RSS] = size;
	region.known = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP);
	assert_int_equal(pm_regions_append(&view->regions, &region, NULL), 0);
}

static void open_view(struct view *view)
{
	*view = (struct view){ 0 };
	pm_regions_init(&view->regions);
	assert_int_equal(selection_init(&view->options.selection, NULL), 0);
	assert_int_equal(pm_tracker_create(&view->watch.tracker, NULL), 0);
	view->watch.options = &view->options;
	view->watch.sample.regions = &view->regions;
	add_region(view, 0x10000, 4 * MIB, PM_KIND_ARENA, "");
	add_region(view, 0x10000000, 6 * MIB, PM_KIND_ARENA, "");

	add_region(view, 0x20000000, 9 * MIB, PM_KIND_FILE, "/data");
}

/** The next sample: so much resident, at so many seconds. */
static void see(struct view *view, double time, uint64_t rss)
{
	view->watch.sample.time = time;
	view->watch.sample.totals.rss = rss;
	assert_int_equal(pm_series_add(&view->watch.memory, time, rss, NULL), 0);
	assert_int_equal(pm_tracker_add(view->watch.tracker, time, &view->regions, NULL), 0);
}

static void close_view(struct view *view)
{
	pm_series_deinit(&view->watch.memory);
	pm_tracker_destroy(view->watch.tracker);
	selection_deinit(&view->options.selection);
	pm_regions_deinit(&view->regions);
}

static double measure(const struct view *view, const char *text)
{
	struct condition condition = parse(text);
	double value;
	if (!evaluate_measure(&condition, &view->watch, &value))
		value = -1;
	condition_deinit(&condition);
	return value;
}

static void what_is_compared(void **state)
{
	(void)state;
	struct view view;
	open_view(&view);
	see(&view, 100, 19 * MIB);
	view.watch.sample.totals.threads = 7;
	assert_true(measure(&view, "rss>1") == 19.0 * MIB);
	assert_true(measure(&view, "threads>1") == 7);
	assert_true(measure(&view, "regions>1") == 3);

	assert_true(measure(&view, "kind:arena>1") == 10.0 * MIB);
	assert_true(measure(&view, "kind:arena,file>1") == 19.0 * MIB);
	assert_true(measure(&view, "region>1") == 9.0 * MIB);

	/* Without a limit there are no shares of it. */
	assert_true(measure(&view, "headroom<1G") == -1);
	assert_true(measure(&view, "rss>80%") == -1);
	view.watch.headroom.count = 1;
	view.watch.headroom.limits[0] = (struct pm_limit){
		.kind = PM_LIMIT_CGROUP, .max = 38 * MIB, .used = 30 * MIB, .reclaimable = 11 * MIB
	};
	assert_true(measure(&view, "headroom<1G") == 19.0 * MIB);

	assert_true(measure(&view, "headroom<15%") == 50);
	assert_true(measure(&view, "rss>80%") == 50);

	/* Only the regions that were chosen. */
	assert_int_equal(pm_select_set_kinds(view.options.selection.select, "arena", NULL), 0);
	assert_true(measure(&view, "region>1") == 6.0 * MIB);
	close_view(&view);
}

static void growth_and_rate(void **state)
{
	(void)state;
	struct view view;
	open_view(&view);
	see(&view, 100, 10 * MIB);
	see(&view, 110, 50 * MIB);
	see(&view, 120, 20 * MIB);
	see(&view, 130, 24 * MIB);
	assert_true(measure(&view, "grow>1") == 14.0 * MIB);

	assert_true(measure(&view, "grow>1/15s") == 4.0 * MIB);
	assert_true(measure(&view, "grow>1/5s") == 2.0 * MIB);
	assert_true(measure(&view, "grow>1/1h") == 14.0 * MIB);
	view.watch.memory_trend = (struct pm_trend){ .verdict = PM_VERDICT_BURST, .rate = 1000 };
	assert_true(measure(&view, "rate>1/min") == -1);
	view.watch.memory_trend.verdict = PM_VERDICT_STEADY;
	assert_true(measure(&view, "rate>1/min") == 60000);
	close_view(&view);
}

/**
 * Looks at a condition after another sample.
 * @return the text of what was met, or ""
 */
static const char *look_at(struct condition *condition, struct view *view, double time,
                           uint64_t rss, bool again)
{
	struct firing firing;
	see(view, time, rss);
	return evaluate_conditions(condition, &view->watch, again, 60, &firing)
	               ? firing.threshold->text
	               : "";
}

static void each_threshold_once(void **state)
{
	(void)state;
	struct view view;
	struct condition condition = parse("rss>10M,20M,30M");
	open_view(&view);
	assert_string_equal(look_at(&condition, &view, 1, 10 * MIB, false), "");
	assert_string_equal(look_at(&condition, &view, 2, 11 * MIB, false), "rss>10M");
	assert_string_equal(look_at(&condition, &view, 3, 12 * MIB, false), "");
	assert_string_equal(look_at(&condition, &view, 4, 5 * MIB, false), "");

	assert_string_equal(look_at(&condition, &view, 5, 12 * MIB, false), "");
	/* Two at once are one event; what was passed by it is not made up for. */
	assert_string_equal(look_at(&condition, &view, 6, 31 * MIB, false), "rss>30M");
	assert_string_equal(look_at(&condition, &view, 500, 25 * MIB, false), "");
	assert_string_equal(look_at(&condition, &view, 1000, 31 * MIB, false), "");
	condition_deinit(&condition);
	close_view(&view);
}

static void again_after_the_cool_down(void **state)
{
	(void)state;
	struct view view;
	struct condition condition = parse("rss>10M,20M");
	open_view(&view);
	assert_string_equal(look_at(&condition, &view, 1, 11 * MIB, true), "rss>10M");
	assert_string_equal(look_at(&condition, &view, 60, 11 * MIB, true), "");
	assert_string_equal(look_at(&condition, &view, 61, 11 * MIB, true), "rss>10M");

	/* The next threshold does not wait for the one before. */
	assert_string_equal(look_at(&condition, &view, 62, 21 * MIB, true), "rss>20M");
	assert_string_equal(look_at(&condition, &view, 63, 11 * MIB, true), "");
	assert_string_equal(look_at(&condition, &view, 122, 11 * MIB, true), "rss>10M");
	condition_deinit(&condition);
	close_view(&view);
}

static void culprits(void **state)
{
	(void)state;
	struct view view;
	struct firing firing;
	struct condition rss = parse("rss>1M"), region = parse("region>1M"),
			 kind = parse("kind:arena>1M");

	open_view(&view);
	see(&view, 1, 19 * MIB);

	/* The smaller arena grows; the file stays the largest. */
	view.regions.items[0].end += 2 * MIB;
	view.regions.items[0].bytes[PM_SIZE_RSS] += 2 * MIB;
	see(&view, 2, 21 * MIB);
	assert_true(evaluate_conditions(&rss, &view.watch, false, 0, &firing));
	assert_true(firing.culprit.known);
	assert_int_equal(firing.culprit.start, 0x10000);
	assert_int_equal(firing.culprit.end, 0x10000 + 6 * MIB);

	assert_true(evaluate_conditions(&region, &view.watch, false, 0, &firing));
	assert_int_equal(firing.culprit.start, 0x20000000);
	assert_int_equal(firing.culprit.kind, PM_KIND_FILE);
	assert_string_equal(firing.culprit.mapping, "/data");
	assert_true(evaluate_conditions(&kind, &view.watch, false, 0, &firing));
	assert_int_equal(firing.culprit.kind, PM_KIND_ARENA);
	condition_deinit(&rss);
	condition_deinit(&region);

	condition_deinit(&kind);
	close_view(&view);
}

static void actions(void **state)
{
	(void)state;
	static const char *const wrong[] = { "",        "exit:", "exit:1",   "exec",
		                             "exec:",   "snap:", "dump",     "dump:a%",
		                             "dump:%z", "halt",  "execute:x" };
	struct action action;
	struct pm_error error;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (actions_parse(&action, wrong[i], &error) == 0)
			fail_msg("'%s' was understood", wrong[i]);

	assert_int_equal(actions_parse(&action, "exit", NULL), 0);
	assert_int_equal(action.kind, ACTION_EXIT);
	assert_int_equal(actions_parse(&action, "exec:date +%s", NULL), 0);
	assert_int_equal(action.kind, ACTION_EXEC);
	assert_string_equal(action.argument, "date +%s");
	assert_int_equal(actions_parse(&action, "dump:/tmp/%p.%n.%t.%k.%a.100%%", NULL), 0);
	assert_int_equal(action.kind, ACTION_DUMP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documented_conditions),
		cmocka_unit_test(lists),
		cmocka_unit_test(refusals),
		cmocka_unit_test(what_is_compared),
		cmocka_unit_test(growth_and_rate),
		cmocka_unit_test(each_threshold_once),
		cmocka_unit_test(again_after_the_cool_down),
		cmocka_unit_test(culprits),
		cmocka_unit_test(actions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
