/* SPDX-License-Identifier: MIT */
/* Moments of long recordings: above the maximum number, no peak, no start and no end is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "html/moments.h"

/** Adds samples of 1000 bytes, one per second, with a peak and a hollow. */
static void add_samples(struct html_moments *moments, unsigned count, unsigned peak,
                        unsigned hollow)
{
	for (unsigned i = 0; i < count; i++) {
		struct html_moment moment = { .time = 500 + i };

		moment.bytes[PM_KIND_ANON] = 1000;
		if (i == peak)
			moment.bytes[PM_KIND_ANON] = 9000;
		if (i == hollow)
			moment.bytes[PM_KIND_ANON] = 10;
		html_moments_add(moments, &moment, 7000 + i);
	}
}

/** Checks that a value is at its time. */
static void assert_moment(const struct html_timeline *timeline, double time, uint64_t bytes)
{
	for (size_t i = 0; i < timeline->count; i++)
		if (timeline->times[i] == time) {
			assert_int_equal(timeline->kinds[0].values[i], bytes);
			return;
		}
	fail_msg("no moment at %f", time);
}

static void check(unsigned count, unsigned peak, unsigned hollow)
{
	struct html_moments moments = { 0 };
	struct html_moments_arrays arrays;
	struct html_timeline timeline = { 0 };

	add_samples(&moments, count, peak, hollow);
	html_moments_fill(&moments, &arrays, &timeline);

	assert_int_equal(timeline.samples, count);
	assert_int_equal(timeline.kind_count, 1);
	assert_true(timeline.start == 7000);
	assert_true(timeline.count <= HTML_MOMENTS_MAX + 4);
	if (count <= HTML_MOMENTS_MAX)
		assert_int_equal(timeline.count, count);
	for (size_t i = 1; i < timeline.count; i++)
		assert_true(timeline.times[i - 1] < timeline.times[i]);

	assert_true(timeline.times[0] == 0);
	assert_true(timeline.times[timeline.count - 1] == count - 1);
	assert_moment(&timeline, peak, 9000);
	assert_moment(&timeline, hollow, 10);
	html_moments_release(&arrays);
	html_moments_deinit(&moments);
}

static void nothing_is_lost(void **state)
{
	static const unsigned counts[] = { 10, HTML_MOMENTS_MAX, HTML_MOMENTS_MAX + 1,
		                           2 * HTML_MOMENTS_MAX + 3, 100003 };

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		unsigned count = counts[i];

		check(count, 3, 5);
		check(count, count / 2, count / 2 + 1);
		/* In the stretch that is not whole. */
		check(count, count - 2, count - 3);
		check(count, count - 3, count - 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
