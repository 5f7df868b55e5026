/* SPDX-License-Identifier: MIT */
/* Which part of a cgroup grows, and when a limit is reached. The samples have times of their own.
 */
#include "cgroup/rates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

/** Fills a level whose shared memory has a size, and whose other parts are constant. */
static struct pm_cgroup_level make_level(char *path, uint64_t shmem, uint64_t max)
{
	struct pm_cgroup_level level = { .folder = path, .path = path, .version = 2 };

	level.max = max;
	level.high = UINT64_MAX;
	level.split.known = true;
	level.split.parts[PM_CGROUP_ANON] = 50 * MIB;
	level.split.parts[PM_CGROUP_FILE_INACTIVE] = 20 * MIB;
	level.split.parts[PM_CGROUP_SHMEM] = shmem;
	level.current = 70 * MIB + shmem;
	return level;
}

static char web[] = "/shop/web", shop[] = "/shop";

/** Adds samples of a minute, in which the shared memory of both levels grows by 1 MiB a second. */
static void add_minute(struct cgroup_rates *rates, struct pm_cgroup_level items[2])
{
	const struct pm_cgroup_levels levels = { .items = items, .count = 2 };

	for (int second = 0; second <= 60; second++) {
		items[0] = make_level(web, (uint64_t)(10 + second) * MIB, UINT64_MAX);
		items[1] = make_level(shop, (uint64_t)(30 + second) * MIB, 200 * MIB);
		assert_int_equal(cgroup_rates_add(rates, second, &levels, NULL), 0);
	}
	cgroup_rates_judge(rates, &levels);
}

static void the_part_that_grows_is_found(void **state)
{
	(void)state;
	struct cgroup_rates rates = { 0 };
	struct pm_cgroup_level items[2];
	enum pm_cgroup_part part = PM_CGROUP_ANON;

	add_minute(&rates, items);
	assert_true(rates.known);
	assert_int_equal(rates.count, 2);
	double rate = cgroup_rates_growing(&rates.items[0], &part);
	assert_int_equal(part, PM_CGROUP_SHMEM);
	assert_true(fabs(rate - (double)MIB) < 1000);
	assert_int_equal(rates.items[0].trends[PM_CGROUP_ANON].verdict, PM_VERDICT_NO_GROWTH);
	assert_true(fabs(rates.items[0].usage_trend.rate - (double)MIB) < 1000);
	assert_null(cgroup_rates_first(&rates.items[0]));
	cgroup_rates_deinit(&rates);
}

/** Page cache counts as left: 200 MiB - (50 + 90) MiB last for a minute. */
static void the_time_left_is_that_of_the_limit(void **state)
{
	(void)state;
	struct cgroup_rates rates = { 0 };
	struct pm_cgroup_level items[2];

	add_minute(&rates, items);
	const struct cgroup_limit *limit = cgroup_rates_first(&rates.items[1]);
	assert_non_null(limit);
	assert_string_equal(limit->limit.source, "/shop/memory.max");
	assert_int_equal(pm_limit_left(&limit->limit), 60 * MIB);
	struct forecast_time time = forecast_time(&limit->forecast);
	assert_true(time.known);
	assert_true(fabs(time.seconds - 60) < 1);
	cgroup_rates_deinit(&rates);
}

/** Without samples, the limits are known, but not when they are reached. */
static void limits_without_samples(void **state)
{
	(void)state;
	struct cgroup_rates rates = { 0 };
	struct pm_cgroup_level item = make_level(shop, 10 * MIB, 200 * MIB);
	const struct pm_cgroup_levels levels = { .items = &item, .count = 1 };
	enum pm_cgroup_part part;

	item.high = 100 * MIB;
	cgroup_rates_judge(&rates, &levels);
	assert_false(rates.known);
	assert_int_equal(rates.items[0].limit_count, 2);
	const struct cgroup_limit *limit = cgroup_rates_first(&rates.items[0]);
	assert_int_equal(limit->limit.kind, PM_LIMIT_CGROUP_HIGH);
	assert_false(forecast_time(&limit->forecast).known);
	assert_true(cgroup_rates_growing(&rates.items[0], &part) == 0);
	cgroup_rates_deinit(&rates);
}

/** A counter of one sample, or one that has fallen, has no rate. */
static void hits_have_a_rate(void **state)
{
	(void)state;
	struct cgroup_rates rates = { 0 };
	struct pm_cgroup_level item = make_level(shop, 10 * MIB, 200 * MIB);
	const struct pm_cgroup_levels levels = { .items = &item, .count = 1 };

	item.events = (struct pm_limit_events){ .known = true, .max = 1000 };
	item.refaults = UINT64_MAX;
	assert_int_equal(cgroup_rates_add(&rates, 100, &levels, NULL), 0);
	assert_true(cgroup_rates_of_counter(&rates.items[0].hits) == 0);
	item.events.max = 24400;
	item.refaults = 5;
	assert_int_equal(cgroup_rates_add(&rates, 110, &levels, NULL), 0);
	assert_true(fabs(cgroup_rates_of_counter(&rates.items[0].hits) - 2340) < 0.1);
	assert_true(cgroup_rates_of_counter(&rates.items[0].refaults) == 0);
	item.refaults = 25;
	assert_int_equal(cgroup_rates_add(&rates, 120, &levels, NULL), 0);
	assert_true(fabs(cgroup_rates_of_counter(&rates.items[0].refaults) - 2) < 0.1);
	item.events.max = 0;
	assert_int_equal(cgroup_rates_add(&rates, 130, &levels, NULL), 0);
	assert_true(cgroup_rates_of_counter(&rates.items[0].hits) == 0);
	cgroup_rates_deinit(&rates);
}

/** A level that takes the place of another one does not continue its series. */
static void other_levels_are_left_out(void **state)
{
	(void)state;
	struct cgroup_rates rates = { 0 };
	struct pm_cgroup_level first = make_level(web, 10 * MIB, UINT64_MAX);
	struct pm_cgroup_level other = make_level(shop, 90 * MIB, UINT64_MAX);
	const struct pm_cgroup_levels before = { .items = &first, .count = 1 };
	const struct pm_cgroup_levels after = { .items = &other, .count = 1 };

	assert_int_equal(cgroup_rates_add(&rates, 0, &before, NULL), 0);
	assert_int_equal(cgroup_rates_add(&rates, 1, &after, NULL), 0);
	assert_int_equal(rates.items[0].usage.samples, 1);
	cgroup_rates_deinit(&rates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_part_that_grows_is_found),
		cmocka_unit_test(the_time_left_is_that_of_the_limit),
		cmocka_unit_test(limits_without_samples),
		cmocka_unit_test(hits_have_a_rate),
		cmocka_unit_test(other_levels_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
