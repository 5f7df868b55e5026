/* SPDX-License-Identifier: MIT */
/* The lives of a followed process: what is said about those that have ended. */
#include "watch/family/lives.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

/** A process that has ended after some seconds. */
static struct family_member ended(double seconds, double until, uint64_t mib)
{
	return (struct family_member){ .state = PM_FAMILY_ENDED,
		                       .measured = true,
		                       .followed = true,
		                       .rss = mib * MIB,
		                       .started = until - seconds,
		                       .until = until };
}

static void expect(const struct family_members *members, const char *expected)
{
	struct family_lives lives;
	struct text text = { 0 };

	family_lives_read(members, &lives);
	family_lives_describe(&lives, false, &text);
	assert_string_equal(text_terminate(&text), expected);
	text_deinit(&text);
}

static void lives_have_a_duration_and_a_peak(void **state)
{
	(void)state;
	struct pm_point points[] = { { .time = 101, .value = 10 * MIB },
		                     { .time = 119, .value = 41 * MIB } };
	struct family_member items[] = { ended(20, 100, 30), ended(19, 120, 3), ended(60, 190, 5) };
	struct family_members members = { .items = items, .count = 1, .now = 200 };

	expect(&members, "1 life ended, about 20s long, peak seen 30.0M");

	/* The highest memory was not the last one. */
	items[1].memory.series = (struct pm_series){ .points = points, .count = 2 };
	items[1].memory.trend = (struct pm_trend){ .verdict = PM_VERDICT_STEADY,
		                                   .rate = 2 * (double)MIB };
	members.count = 2;
	expect(&members,
	       "2 lives ended, each about 20s long, peak seen 41.0M, the last grew +2.0M/s");

	members.count = 3;
	expect(&members, "3 lives ended, 19s to 1m 0s long, peak seen 41.0M");
	members.dropped_lives = 6;
	expect(&members, "9 lives ended, the last 3 19s to 1m 0s long, peak seen 41.0M");

	/* A worker with the same name, which was not followed, does not count. */
	items[2].followed = false;
	members.dropped_lives = 0;
	expect(&members,
	       "2 lives ended, each about 20s long, peak seen 41.0M, the last grew +2.0M/s");
}

static void a_limit_counts_from_now(void **state)
{
	(void)state;
	struct family_member items[] = {
		ended(20, 100, 30),
		{ .state = PM_FAMILY_ALIVE, .measured = true, .followed = true, .started = 101 }
	};
	struct family_members members = { .items = items, .count = 2, .now = 106 };
	struct family_lives lives;

	family_lives_read(&members, &lives);
	assert_false(family_lives_end_before(&lives, 14));
	assert_true(family_lives_end_before(&lives, 16));

	/* Without a life that has ended, none is known to be short. */
	members.items = items + 1;
	members.count = 1;
	family_lives_read(&members, &lives);
	assert_false(family_lives_end_before(&lives, 1e6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lives_have_a_duration_and_a_peak),
		cmocka_unit_test(a_limit_counts_from_now),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
