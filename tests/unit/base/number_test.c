/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define K UINT64_C(1024)
#define M (K * K)
#define G (K * M)
#define T (K * G)
#define P (K * T)
#define E (K * P)

typedef int parse_function(const char *text, uint64_t *value, struct pm_error *error);

static int parse_any_decimal(const char *text, uint64_t *value, struct pm_error *error)
{
	return pm_parse_decimal(text, UINT64_MAX, value, error);
}

static void gives(parse_function *parse, const char *text, uint64_t wanted)
{
	uint64_t value = ~wanted;
	struct pm_error error = { 0 };
	if (parse(text, &value, &error) != 0)
		fail_msg("'%s' was refused: %s", text, error.text);
	if (value != wanted)
		fail_msg("'%s' gave %llu, not %llu", text, (unsigned long long)value,
		         (unsigned long long)wanted);
	assert_int_equal(error.kind, PM_ERROR_NONE);
}

static void refuses(parse_function *parse, const char *text)
{
	uint64_t value = 4711;
	struct pm_error error = { 0 };
	if (parse(text, &value, &error) != -1)
		fail_msg("'%s' was taken as %llu", text, (unsigned long long)value);
	assert_int_equal(value, 4711);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_true(error.text[0] != '\0');
	assert_null(strchr(error.text, '\n'));
}

static void decimals(void **state)
{
	(void)state;
	gives(parse_any_decimal, "0", 0);
	gives(parse_any_decimal, "007", 7);
	gives(parse_any_decimal, "18446744073709551615", UINT64_MAX);

	static const char *const junk[] = { "",
		                            " ",
		                            " 1",
		                            "1 ",
		                            "-1",
		                            "+1",
		                            "12abc",
		                            "0x10",
		                            "1.0",
		                            "1,000",
		                            "18446744073709551616",
		                            "99999999999999999999999",
		                            "\xef\xbc\x91",
		                            "1\n" };

	for (size_t i = 0; i < sizeof junk / sizeof *junk; i++)
		refuses(parse_any_decimal, junk[i]);
}

static void decimal_bounds(void **state)
{
	(void)state;
	uint64_t value = 1;
	struct pm_error error = { 0 };
	assert_int_equal(pm_parse_decimal("100", 100, &value, &error), 0);
	assert_int_equal(value, 100);
	assert_int_equal(pm_parse_decimal("101", 100, &value, &error), -1);
	assert_int_equal(value, 100);
	assert_non_null(strstr(error.text, "100"));

	assert_int_equal(pm_parse_decimal("99999999999999999999", 100, &value, &error), -1);
	assert_non_null(strstr(error.text, "too large"));
	assert_int_equal(pm_parse_decimal("1x", 100, &value, &error), -1);
	assert_non_null(strstr(error.text, "not a whole number"));
}

static void addresses(void **state)
{
	(void)state;
	gives(pm_parse_address, "0", 0);
	gives(pm_parse_address, "0x0", 0);
	gives(pm_parse_address, "7f3a08000000", UINT64_C(0x7f3a08000000));
	gives(pm_parse_address, "0x7F3A08000000", UINT64_C(0x7f3a08000000));
	gives(pm_parse_address, "0X7f3a08000000", UINT64_C(0x7f3a08000000));
	gives(pm_parse_address, "00007f3a08000000", UINT64_C(0x7f3a08000000));
	gives(pm_parse_address, "ffffffffff600000", UINT64_C(0xffffffffff600000));

	gives(pm_parse_address, "ffffffffffffffff", UINT64_MAX);
	static const char *const junk[] = { "",
		                            "0x",
		                            "x",
		                            "0xg",
		                            "7f3g",
		                            " 7f",
		                            "7f ",
		                            "-7f",
		                            "+7f",
		                            "0x0x7f",
		                            "10000000000000000",
		                            "0x1ffffffffffffffff",
		                            "7f-8f" };

	for (size_t i = 0; i < sizeof junk / sizeof *junk; i++)
		refuses(pm_parse_address, junk[i]);
}

static void sizes(void **state)
{
	(void)state;
	gives(pm_parse_size, "0", 0);
	gives(pm_parse_size, "4096", 4096);
	gives(pm_parse_size, "64K", 64 * K);
	gives(pm_parse_size, "64k", 64 * K);
	gives(pm_parse_size, "2M", 2 * M);
	gives(pm_parse_size, "3G", 3 * G);
	gives(pm_parse_size, "1T", T);

	gives(pm_parse_size, "1P", P);
	gives(pm_parse_size, "15E", 15 * E);
	gives(pm_parse_size, "2GB", 2 * G);
	gives(pm_parse_size, "2GiB", 2 * G);
	gives(pm_parse_size, "2gib", 2 * G);
	gives(pm_parse_size, "512B", 512);
	gives(pm_parse_size, "0x1000", 4096);
	gives(pm_parse_size, "0xffffffffffffffff", UINT64_MAX);

	gives(pm_parse_size, "18446744073709551615", UINT64_MAX);
	gives(pm_parse_size, "16777215T", 16777215 * T);
}

static void size_fractions(void **state)
{
	(void)state;
	gives(pm_parse_size, "1.5M", M + M / 2);
	gives(pm_parse_size, "0.5K", 512);
	gives(pm_parse_size, "0.001K", 1);
	gives(pm_parse_size, "0.0009K", 0);
	gives(pm_parse_size, "1.000000000000000000000000000001K", 1024);
	gives(pm_parse_size, "0.999999999999999999999999999999K", 1023);
	gives(pm_parse_size, "2.25GiB", 2 * G + G / 4);

	gives(pm_parse_size, "15.5E", 15 * E + E / 2);
	gives(pm_parse_size, "1.10K", 1126);
}

static void refused_sizes(void **state)
{
	(void)state;
	static const char *const junk[] = {
		"",     "K",     "-1",     "+1",   " 1K",
		"1 K",  "1K ",   "1.5",    "1.5B", "1.K",
		".5K",  "1..5K", "1.5.5K", "1KK",  "1KX",
		"1iB",  "1i",    "1Z",     "1Ki",  "1e3",
		"1,5K", "0x",    "0x10K",  "0xg",  "0x10000000000000000",
		"12abc"
	};

	for (size_t i = 0; i < sizeof junk / sizeof *junk; i++)
		refuses(pm_parse_size, junk[i]);

	static const char *const large[] = { "18446744073709551616",
		                             "16E",
		                             "17E",
		                             "16384P",
		                             "16777216T",
		                             "99999999999999999999K",
		                             "18014398509481984K" };

	for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
		refuses(pm_parse_size, large[i]);
		uint64_t value;
		struct pm_error error = { 0 };
		pm_parse_size(large[i], &value, &error);
		assert_non_null(strstr(error.text, "64 bits"));
	}
}

static void is_written(uint64_t bytes, const char *wanted)
{
	char text[PM_SIZE_TEXT_SIZE];
	size_t length = pm_format_size(bytes, text);
	assert_string_equal(text, wanted);
	assert_int_equal(length, strlen(wanted));
}

static void human_readable_sizes(void **state)
{
	(void)state;
	is_written(0, "-");
	is_written(1, "1B");
	is_written(1023, "1023B");
	is_written(K, "1.0K");
	is_written(4 * K, "4.0K");
	is_written(K + 51, "1.0K"); /* 1.0498 */
	is_written(K + 52, "1.1K"); /* 1.0508 */

	is_written(64 * M, "64.0M");
	is_written(255 * M + 900 * K, "255.9M");
	is_written(UINT64_MAX, "16.0E");
}

/**
 * 1023.95 of a unit rounds to 1024.0 of it, and is written as 1.0 of the next one; just below, it
 * stays.
 */
static void boundary_between_units(void **state)
{
	(void)state;
	static const char units[] = "KMGTPE";
	for (size_t i = 0; i + 1 < sizeof units - 1; i++) {
		uint64_t unit = K << (10 * i);
		/* The smallest number of bytes that is at least 1023.95 units. */
		uint64_t border = unit * 1023 + (unit * 95 + 99) / 100;
		char below[] = "1023.9?", above[] = "1.0?";
		below[6] = units[i];
		above[3] = units[i + 1];
		is_written(border - 1, below);
		is_written(border, above);
		is_written(unit * 1024 - 1, above);
		is_written(unit * 1024, above);
	}
}

/** What is written is within half a tenth of the size, over all magnitudes. */
static void writes_the_nearest_tenth(void **state)
{
	(void)state;
	static const char units[] = "KMGTPE";
	for (uint64_t bytes = 1024; bytes < UINT64_MAX / 3; bytes += bytes / 7 + 1) {
		char text[PM_SIZE_TEXT_SIZE];
		size_t length = pm_format_size(bytes, text);
		size_t shift = 10 * (size_t)(strchr(units, text[length - 1]) - units + 1);
		uint64_t whole = 0;
		const char *at = text;
		assert_true(pm_scan_decimal(&at, &whole));
		assert_int_equal(*at, '.');
		__int128 tenths = (__int128)(whole * 10 + (uint64_t)(at[1] - '0'));
		__int128 twice_off = ((__int128)bytes * 10 - (tenths << shift)) * 2,
			 unit = (__int128)1 << shift;
		assert_true(twice_off < unit && twice_off >= -unit);
	}
}

static void scanning_stops_after_the_number(void **state)
{
	(void)state;
	uint64_t value;
	const char *at = "7f00-8000 rw-p";
	assert_true(pm_scan_hex(&at, &value));
	assert_int_equal(value, 0x7f00);
	assert_int_equal(*at, '-');
	at = "123 kB";
	assert_true(pm_scan_decimal(&at, &value));

	assert_int_equal(value, 123);
	assert_int_equal(*at, ' ');

	const char *junk = "xyz";
	at = junk;
	value = 5;
	assert_false(pm_scan_hex(&at, &value));
	assert_false(pm_scan_decimal(&at, &value));
	assert_ptr_equal(at, junk);
	assert_int_equal(value, 5);
}

static void hexadecimal_digits(void **state)
{
	(void)state;
	static const char digits[] = "0123456789abcdef";
	for (int c = -128; c < 128; c++) {
		char lower = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
		const char *digit = c ? strchr(digits, lower) : NULL;
		assert_int_equal(pm_hex_digit((char)c), digit ? digit - digits : -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals),
		cmocka_unit_test(decimal_bounds),
		cmocka_unit_test(addresses),
		cmocka_unit_test(sizes),
		cmocka_unit_test(size_fractions),
		cmocka_unit_test(refused_sizes),
		cmocka_unit_test(human_readable_sizes),
		cmocka_unit_test(boundary_between_units),
		cmocka_unit_test(writes_the_nearest_tenth),
		cmocka_unit_test(scanning_stops_after_the_number),
		cmocka_unit_test(hexadecimal_digits),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
