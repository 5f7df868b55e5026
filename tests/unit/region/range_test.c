/* SPDX-License-Identifier: MIT */
/* Ranges of addresses, up to the last address, and bounds of numbers. */
#include <procmem/range.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check_clip(struct pm_range range, struct pm_range bounds, struct pm_range expected)
{
	struct pm_range clipped = pm_range_clip(range, bounds);
	assert_int_equal(clipped.start, expected.start);
	assert_int_equal(clipped.end, expected.end);
}

static void ranges_are_clipped(void **state)
{
	(void)state;
	const struct pm_range bounds = { 0x2000, 0x4000 };

	check_clip((struct pm_range){ 0x1000, 0x5000 }, bounds, bounds);
	check_clip((struct pm_range){ 0x1000, 0x3000 }, bounds,
	           (struct pm_range){ 0x2000, 0x3000 });
	check_clip((struct pm_range){ 0x3000, 0x5000 }, bounds,
	           (struct pm_range){ 0x3000, 0x4000 });
	check_clip((struct pm_range){ 0x2800, 0x3000 }, bounds,
	           (struct pm_range){ 0x2800, 0x3000 });
	check_clip((struct pm_range){ 0x3000, UINT64_MAX }, bounds,
	           (struct pm_range){ 0x3000, 0x4000 });
	assert_int_equal(pm_range_size(pm_range_clip((struct pm_range){ 0, 0x1000 }, bounds)), 0);
	assert_int_equal(pm_range_size(pm_range_clip((struct pm_range){ 0x4000, 0x5000 }, bounds)),
	                 0);
}

static void ranges_are_half_open(void **state)
{
	(void)state;
	const struct pm_range range = { 0x1000, 0x2000 };

	assert_int_equal(pm_range_size(range), 0x1000);
	assert_false(pm_range_contains(range, 0xfff));
	assert_true(pm_range_contains(range, 0x1000));
	assert_true(pm_range_contains(range, 0x1fff));
	assert_false(pm_range_contains(range, 0x2000));
}

static void numbers_are_bounded(void **state)
{
	(void)state;
	assert_int_equal(pm_min(1, UINT64_MAX), 1);
	assert_true(pm_max(1, UINT64_MAX) == UINT64_MAX);
	assert_int_equal(pm_clamp(5, 1, 3), 3);
	assert_int_equal(pm_clamp(0, 1, 3), 1);
	assert_int_equal(pm_clamp_size(2, 1, 3), 2);
	assert_int_equal(pm_min_int(-1, 1), -1);
	assert_int_equal(pm_clamp_int(-5, -1, 3), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_clipped),
		cmocka_unit_test(ranges_are_half_open),
		cmocka_unit_test(numbers_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
