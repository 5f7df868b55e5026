/* SPDX-License-Identifier: MIT */
/* Changes and rates: their units, and that they fit the columns of the live screen. */
#include "base/delta.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/convert.h"

/* The widths in cmd/watch/screen/table.c. */
enum { RATE_COLUMNS = 11, DELTA_COLUMNS = 8 };

static void expect_rate(double rate, const char *expected)
{
	struct text text = { 0 };
	delta_put_rate(&text, rate);
	assert_string_equal(text_terminate(&text), expected);
	text_deinit(&text);
}

static void rates_have_a_unit_without_tiny_numbers(void **state)
{
	(void)state;
	expect_rate(0, "-");
	expect_rate(2 << 20, "+2.0M/s");
	expect_rate(-40960, "-40.0K/s");
	expect_rate(10239, "+599.9K/min");
	expect_rate(500 << 10, "+500.0K/s");
	expect_rate(100, "+351.6K/h");
	expect_rate(1, "+84.4K/d");
}

static void expect_rate_in(double rate, double largest, const char *expected)
{
	struct text text = { 0 };
	delta_put_rate_in(&text, rate, delta_rate_unit(largest));
	assert_string_equal(text_terminate(&text), expected);
	text_deinit(&text);
}

static void rates_of_a_column_have_the_unit_of_the_largest_one(void **state)
{
	(void)state;
	expect_rate_in(100, 2 << 20, "+100B/s");
	expect_rate_in(-1024, -40960, "-1.0K/s");
	expect_rate_in(0.4, 2 << 20, "-");
	expect_rate_in(1, 100, "+3.5K/h");
	expect_rate_in(1e30, 1e30, "-");
	expect_rate_in(0, 0, "-");
}

static void all_items_fit(void **state)
{
	(void)state;
	struct text text = { 0 };
	/* Up to a terabyte per second. */
	for (double rate = 1e-3; rate < 1.1e12; rate *= 1.003) {
		text_clear(&text);
		delta_put_rate(&text, -rate);
		assert_in_range(text.length, 1, RATE_COLUMNS);
		text_clear(&text);
		delta_put_bytes(&text, -(int64_t)rate, false);
		assert_in_range(text.length, 1, DELTA_COLUMNS);
	}

	text_deinit(&text);
}

static void expect_time(int64_t wall_ns, const char *expected)
{
	struct text text = { 0 };
	delta_put_time(&text, wall_ns);
	assert_string_equal(text_terminate(&text), expected);
	text_deinit(&text);
}

/** The clock of a machine can be wrong, and a recording can have any time. */
static void times_before_1970_are_valid(void **state)
{
	(void)state;
	expect_time(0, "1970-01-01T00:00:00.000Z");
	expect_time(1500000000, "1970-01-01T00:00:01.500Z");
	expect_time(-1, "1969-12-31T23:59:59.999Z");
	expect_time(-282000000, "1969-12-31T23:59:59.718Z");
	expect_time(-1000000000, "1969-12-31T23:59:59.000Z");
	expect_time(INT64_MIN, "1677-09-21T00:12:43.145Z");
	expect_time(INT64_MAX, "2262-04-11T23:47:16.854Z");
}

/** Numbers that do not fit an integer, as from a damaged recording. */
static void conversions_do_not_overflow(void **state)
{
	(void)state;
	assert_true(convert_int64(1e300) == INT64_MAX);
	assert_true(convert_int64(-1e300) == INT64_MIN);
	assert_true(convert_int64(9223372036854775808.0) == INT64_MAX);
	assert_true(convert_int64(-3.9) == -3);
	assert_true(convert_int64(NAN) == 0);
	assert_true(convert_uint64(1e300) == UINT64_MAX);
	assert_true(convert_uint64(18446744073709551616.0) == UINT64_MAX);
	assert_true(convert_uint64(-1) == 0);
	assert_true(convert_uint64(7.5) == 7);
	assert_true(convert_uint64(NAN) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_have_a_unit_without_tiny_numbers),
		cmocka_unit_test(rates_of_a_column_have_the_unit_of_the_largest_one),
		cmocka_unit_test(all_items_fit),
		cmocka_unit_test(conversions_do_not_overflow),
		cmocka_unit_test(times_before_1970_are_valid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
