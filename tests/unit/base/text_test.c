/* SPDX-License-Identifier: MIT */
/* Numbers and sizes as text, compared with printf(3). */
#include "base/text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void check(uint64_t value)
{
	char expected[64];
	struct text text = { 0 };
	text_decimal(&text, value);
	text_char(&text, ' ');
	text_hex(&text, value, 1);
	text_char(&text, ' ');
	text_hex(&text, value, 16);
	snprintf(expected, sizeof expected, "%" PRIu64 " %" PRIx64 " %016" PRIx64, value, value,
	         value);

	assert_string_equal(text_terminate(&text), expected);
	text_clear(&text);
	text_decimal(&text, value);
	assert_int_equal(text_decimal_length(value), text.length);
	text_clear(&text);
	text_hex(&text, value, 1);
	assert_int_equal(text_hex_length(value), text.length);
	text_clear(&text);

	text_size(&text, value);
	assert_int_equal(text_size_length(value), text.length);
	text_deinit(&text);
}

static void test_numbers(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t power = UINT64_C(1) << bit;
		check(power - 1);
		check(power);
		check(power + 1);
	}

	/* Sizes at which rounding adds a digit or changes the unit. */
	for (unsigned unit = 10; unit <= 60; unit += 10) {
		for (uint64_t tenths = 1; tenths <= 10240 && unit < 50; tenths++) {
			uint64_t size = ((tenths * 2 - 1) << unit) / 20;
			check(size - 1);
			check(size);
			check(size + 1);
		}
	}

	for (uint64_t power = 1; power < UINT64_MAX / 10; power *= 10) {
		check(power - 1);
		check(power);
	}

	check(UINT64_MAX);
}

static void test_thousands(void **state)
{
	(void)state;
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = { { 0, "0" },
		      { 7, "7" },
		      { 999, "999" },
		      { 1000, "1,000" },
		      { 12345, "12,345" },
		      { 999999, "999,999" },
		      { 1000000, "1,000,000" },
		      { UINT64_MAX, "18,446,744,073,709,551,615" } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text text = { 0 };
		text_string(&text, "in ");
		text_grouped(&text, cases[i].value);
		assert_string_equal(text_terminate(&text) + 3, cases[i].text);
		text_deinit(&text);
	}
}

static void test_growing(void **state)
{
	(void)state;
	struct text text = { 0 };
	for (unsigned i = 0; i < 5000; i++)
		text_format(&text, "%u,", i);

	text_fill(&text, '.', 3);
	text_bytes(&text, NULL, 0);

	/* 10 * 2 + 90 * 3 + 900 * 4 + 4000 * 5 bytes, and the three dots. */
	assert_int_equal(text.length, 23893);
	assert_string_equal(text_terminate(&text) + text.length - 8, "4999,...");
	text_clear(&text);
	text_string(&text, "again");
	assert_string_equal(text_terminate(&text), "again");
	text_deinit(&text);
}

/** Nothing that is not full is 100 %. */
static void test_percent(void **state)
{
	static const struct {
		double percent;
		const char *text;
	} cases[] = {
		{ 0, "0" },        { 42.6, "43" }, { 98.7, "99" },   { 99.5, "99.5" },
		{ 99.99, "99.9" }, { 100, "100" }, { 250.2, "250" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text text = { 0 };
		text_percent(&text, cases[i].percent);
		assert_string_equal(text_terminate(&text), cases[i].text);
		text_deinit(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_thousands),
		cmocka_unit_test(test_growing),
		cmocka_unit_test(test_percent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
