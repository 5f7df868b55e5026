/* SPDX-License-Identifier: MIT */
/* Numbers in buffers: compared with a search that looks at each number alone, in the arithmetic of
 * C. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/minmax.h"
#include "scan/number_scan.h"
#include "support/windows.h"

static struct pm_number_test parse_int(const char *text)
{
	struct pm_number_test test;
	struct pm_error error;

	if (pm_number_test_parse_int(text, &test, &error) < 0)
		fail_msg("%s: %s", text, error.text);
	return test;
}

static struct pm_number_test parse_float(const char *text)
{
	struct pm_number_test tests[2];
	struct pm_error error;
	size_t count;

	if (pm_number_test_parse_float(text, tests, &count, &error) < 0)
		fail_msg("%s: %s", text, error.text);
	assert_int_equal(count, 1);
	return tests[0];
}

/* --- texts --- */

static void assert_int(const char *text, const char *name, int64_t low, int64_t high)
{
	struct pm_number_test test = parse_int(text);
	assert_string_equal(pm_number_test_name(&test), name);
	assert_true(test.low == (uint64_t)low);
	assert_true(test.high == (uint64_t)high);
}

static void integers_are_parsed(void **state)
{
	(void)state;
	assert_int("1234", "int32", 1234, 1234);
	assert_int("-1", "int32", -1, -1);
	assert_int("-0", "int32", 0, 0);
	assert_int("2147483647", "int32", INT32_MAX, INT32_MAX);
	assert_int("2147483648", "uint32", 2147483648, 2147483648);
	assert_int("-2147483648", "int32", INT32_MIN, INT32_MIN);
	assert_int("-2147483649", "int64", -2147483649, -2147483649);
	assert_int("0xffffffff", "uint32", UINT32_MAX, UINT32_MAX);
	assert_int("0x7fff12345678", "int64", 0x7fff12345678, 0x7fff12345678);
	assert_int("18446744073709551615", "uint64", -1, -1);
	assert_int("-9223372036854775808:8", "int64", INT64_MIN, INT64_MIN);
	assert_int("200:1", "uint8", 200, 200);
	assert_int("-128..127:1", "int8", -128, 127);
	assert_int("1..65535:2", "uint16", 1, 65535);
	assert_int("-5..5:8", "int64", -5, 5);
	assert_int("-1..4294967295", "int64", -1, UINT32_MAX);
}

static void assert_refused(int (*parse)(const char *, struct pm_error *), const char *text,
                           const char *why)
{
	struct pm_error error = { 0 };
	assert_int_equal(parse(text, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	if (!strstr(error.text, why))
		fail_msg("%s: %s", text, error.text);
}

static int refuse_int(const char *text, struct pm_error *error)
{
	struct pm_number_test test;
	return pm_number_test_parse_int(text, &test, error);
}

static int refuse_float(const char *text, struct pm_error *error)
{
	struct pm_number_test tests[2];
	size_t count;
	return pm_number_test_parse_float(text, tests, &count, error);
}

static void other_texts_are_refused(void **state)
{
	(void)state;
	assert_refused(refuse_int, "", "a value is missing");
	assert_refused(refuse_int, "-", "a value is missing");
	assert_refused(refuse_int, "0x", "a value is missing");
	assert_refused(refuse_int, "1..", "a value is missing");
	assert_refused(refuse_int, "..1", "a value is missing");
	assert_refused(refuse_int, "1.5", "write VALUE");
	assert_refused(refuse_int, "12ab", "write VALUE");
	assert_refused(refuse_int, "+1", "write VALUE");
	assert_refused(refuse_int, "5..3", "must not be above");
	assert_refused(refuse_int, "256:1", "does not fit into 1 byte");
	assert_refused(refuse_int, "-129:1", "does not fit");
	assert_refused(refuse_int, "-1..255:1", "does not fit");
	assert_refused(refuse_int, "1:3", "1, 2, 4 or 8");
	assert_refused(refuse_int, "1:", "1, 2, 4 or 8");
	assert_refused(refuse_int, "1:16", "1, 2, 4 or 8");
	assert_refused(refuse_int, "18446744073709551616", "more than 8 bytes");
	assert_refused(refuse_int, "-1..18446744073709551615", "both values");
	assert_refused(refuse_float, "", "decimal number");
	assert_refused(refuse_float, "nan", "decimal number");
	assert_refused(refuse_float, "inf", "decimal number");
	assert_refused(refuse_float, "0x1p3", "decimal number");
	assert_refused(refuse_float, "1e", "decimal number");
	assert_refused(refuse_float, "1e999", "too large");
	assert_refused(refuse_float, "1e300:4", "no float of 4 bytes");
	assert_refused(refuse_float, "1.00000000001..1.00000000002:4", "no float of 4 bytes");
	assert_refused(refuse_float, "1:2", "4 or 8");
	assert_refused(refuse_float, "2..1", "must not be above");
}

static void floats_are_parsed(void **state)
{
	struct pm_number_test tests[2], test;
	struct pm_error error;
	size_t count;
	(void)state;

	assert_int_equal(pm_number_test_parse_float("3.14", tests, &count, &error), 0);
	assert_int_equal(count, 2);
	assert_string_equal(pm_number_test_name(&tests[0]), "float32");
	assert_true(tests[0].float_low == (double)3.14f && tests[0].float_high == (double)3.14f);
	assert_string_equal(pm_number_test_name(&tests[1]), "float64");
	assert_true(tests[1].float_low == 3.14 && tests[1].float_high == 3.14);

	/* 0.1f is above 0.1, and 0.3f is above 0.3. */
	test = parse_float("0.1..0.3:4");
	assert_true(test.float_low == (double)0.1f);
	assert_true(test.float_high == (double)nextafterf(0.3f, 0));

	assert_int_equal(pm_number_test_parse_float("1e300", tests, &count, &error), 0);
	assert_int_equal(count, 1);
	assert_int_equal(tests[0].size, 8);
}

static void assert_order(const char *type, const void *a, const void *b, enum pm_number_order order,
                         const char *text)
{
	struct pm_number_test test = strchr(type, '.') ? parse_float(type) : parse_int(type);
	char written[PM_NUMBER_TEXT_SIZE];

	assert_int_equal(pm_number_test_compare(&test, a, b), order);
	assert_int_equal(pm_number_test_format(&test, b, written), strlen(text));
	assert_string_equal(written, text);
}

static void numbers_are_compared(void **state)
{
	const int32_t minus = -1, one = 1;
	const double pi = 3.141592653589793, e = 2.718281828459045, not_a_number = NAN;
	const float third = 1.0f / 3, half = 0.5f, zero = 0.0f, minus_zero = -0.0f;
	(void)state;

	assert_order("0:4", &minus, &one, PM_NUMBER_GREATER, "1");
	assert_order("0:4", &one, &minus, PM_NUMBER_LESS, "-1");
	assert_order("0:4", &one, &one, PM_NUMBER_SAME, "1");
	assert_order("4294967295:4", &one, &minus, PM_NUMBER_GREATER, "4294967295");
	assert_order("255:1", &one, &minus, PM_NUMBER_GREATER, "255");
	assert_order("0.0:8", &e, &pi, PM_NUMBER_GREATER, "3.141592653589793");
	assert_order("0.0:8", &pi, &not_a_number, PM_NUMBER_UNORDERED, "nan");
	assert_order("0.0:4", &half, &third, PM_NUMBER_LESS, "0.33333334");
	assert_order("0.0:4", &minus_zero, &zero, PM_NUMBER_UNORDERED, "0");
}

/* --- the search --- */

/** Returns whether a number is in a range, computed as C does. */
static bool is_in_range(const struct pm_number_test *test, const uint8_t *bytes)
{
	union {
		int8_t i8;
		int16_t i16;
		int32_t i32;
		int64_t i64;
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		float f;
		double d;
	} value;
	memcpy(&value, bytes, test->size);

	if (test->type == PM_NUMBER_FLOAT && test->size == 4)
		return (double)value.f >= test->float_low && (double)value.f <= test->float_high;
	if (test->type == PM_NUMBER_FLOAT)
		return value.d >= test->float_low && value.d <= test->float_high;

	if (test->type == PM_NUMBER_UINT) {
		uint64_t number = test->size == 1   ? value.u8
		                  : test->size == 2 ? value.u16
		                  : test->size == 4 ? value.u32
		                                    : value.u64;
		return number >= test->low && number <= test->high;
	}

	int64_t number = test->size == 1   ? value.i8
	                 : test->size == 2 ? value.i16
	                 : test->size == 4 ? value.i32
	                                   : value.i64;
	return number >= (int64_t)test->low && number <= (int64_t)test->high;
}

static void slow_search(const struct pm_number_test *tests, size_t count, bool aligned,
                        const uint8_t *bytes, size_t size, uint64_t address, struct hit_list *hits)
{
	for (size_t at = 0; at < size; at++)
		for (size_t i = 0; i < count; i++) {
			size_t length = tests[i].size;
			if (at + length > size || (aligned && (address + at) % length != 0) ||
			    !is_in_range(&tests[i], bytes + at))
				continue;
			hit_list_add(hits, (struct hit){ at, length, (unsigned)i, PM_ENCODING_8BIT,
			                                 false });
		}
}

/** Fills a buffer with small and large integers, floats, zeros and noise, at any offset. */
static void make_bytes(uint8_t *bytes, size_t size, uint64_t *random)
{
	memset(bytes, 0, size);
	for (size_t i = 0; i < size / 6; i++) {
		uint64_t number = random_next(random), value = number % 300;
		size_t at = random_next(random) % size;
		size_t length = pm_min_size((size_t)1 << number / 300 % 4, size - at);
		float narrow = (float)value / 4 - 20;
		double wide = (double)narrow;

		switch (random_next(random) % 5) {
		case 0:
			memcpy(bytes + at, &value, length);
			break;
		case 1:
			value = 0 - value;
			memcpy(bytes + at, &value, length);
			break;
		case 2:
			memcpy(bytes + at, &narrow, pm_min_size(sizeof narrow, size - at));
			break;
		case 3:
			memcpy(bytes + at, &wide, pm_min_size(sizeof wide, size - at));
			break;
		default:
			memcpy(bytes + at, &number, length);
		}
	}
}

static size_t choose_tests(struct pm_number_test *tests, uint64_t *random)
{
	static const char *const integers[] = {
		"0:1",
		"7:1",
		"255:1",
		"-3..3:1",
		"200..250:1",
		"0:2",
		"-1:2",
		"256..300:2",
		"-300..-2:2",
		"65000..65535:2",
		"5",
		"-7",
		"100..200",
		"-200..100",
		"4294967000..4294967295",
		"0:8",
		"-9:8",
		"0..1000:8",
		"-1000..-1:8",
		"0xffffffffffffff00..0xffffffffffffffff:8",
		"-9223372036854775808..9223372036854775807:8",
	};
	static const char *const floats[] = { "0.0:4",          "1.25:4",    "-20.0:8",
		                              "-3..7.5:4",      "-3..7.5:8", "-1e300..-1.5:8",
		                              "1e-300..1e300:8" };
	enum {
		INTEGERS = sizeof integers / sizeof *integers,
		FLOATS = sizeof floats / sizeof *floats
	};
	size_t count = 1 +
	               random_next(random) % (random_next(random) % 3 ? 2 : PM_NUMBER_TESTS_MAX);

	for (size_t i = 0; i < count; i++) {
		size_t index = random_next(random) % (INTEGERS + FLOATS);
		tests[i] = index < INTEGERS ? parse_int(integers[index])
		                            : parse_float(floats[index - INTEGERS]);
	}
	return count;
}

/** Any tests over any bytes, in one window and in many, with all vector instructions. */
static void random_bytes(void **state)
{
	enum { MAX = 9000 };
	static const struct cut whole = { 0 };
	uint8_t *bytes = malloc(MAX);
	size_t total = 0;
	(void)state;

	for (uint64_t turn = 0; turn < 3000; turn++) {
		uint64_t random = turn;
		char what[100];
		size_t size = 1 + random_next(&random) % (turn % 20 == 0 ? MAX : 400);
		uint64_t address = 0x7000 + random_next(&random) % 8;
		bool aligned = random_next(&random) % 2;
		const struct cut cut = { 1 + random_next(&random) % 300, random_next(&random) % 20,
			                 0 };
		struct pm_number_test tests[PM_NUMBER_TESTS_MAX];
		size_t count = choose_tests(tests, &random);

		make_bytes(bytes, size, &random);
		struct hit_list wanted = { 0 };
		slow_search(tests, count, aligned, bytes, size, address, &wanted);
		total += wanted.count;

		for (enum pm_simd simd = PM_SIMD_PORTABLE; simd <= pm_simd_best(); simd++) {
			struct pm_scanner *scanner;
			struct pm_error error;
			struct hit_list found = { 0 }, in_windows = { 0 };
			assert_int_equal(pm_number_scanner_create_with(tests, count, aligned, simd,
			                                               &scanner, &error),
			                 0);

			scan_buffer(scanner, bytes, size, address, &whole, &found, NULL);
			snprintf(what, sizeof what, "turn %d, level %d", (int)turn, simd);
			assert_same_hits(&wanted, &found, bytes, what);
			scan_buffer(scanner, bytes, size, address, &cut, &in_windows, NULL);
			snprintf(what, sizeof what, "turn %d, level %d, windows of %zu", (int)turn,
			         simd, cut.unit);
			assert_same_hits(&wanted, &in_windows, bytes, what);

			scanner->ops->destroy(scanner);
			hit_list_deinit(&found);
			hit_list_deinit(&in_windows);
		}
		hit_list_deinit(&wanted);
	}

	assert_true(total > 10000);
	free(bytes);
}

static void wrong_tests_are_refused(void **state)
{
	struct pm_number_test tests[PM_NUMBER_TESTS_MAX + 1], wrong = parse_int("1");
	struct pm_scanner *scanner;
	struct pm_error error;
	(void)state;

	for (size_t i = 0; i <= PM_NUMBER_TESTS_MAX; i++)
		tests[i] = parse_int("1");
	assert_int_equal(pm_number_scanner_create(tests, 0, false, &scanner, &error), -1);
	assert_int_equal(pm_number_scanner_create(tests, PM_NUMBER_TESTS_MAX + 1, false, &scanner,
	                                          &error),
	                 -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);

	wrong.size = 3;
	assert_int_equal(pm_number_scanner_create(&wrong, 1, false, &scanner, &error), -1);
	wrong.size = 1;
	wrong.high = 128;
	assert_int_equal(pm_number_scanner_create(&wrong, 1, false, &scanner, &error), -1);
	wrong.type = PM_NUMBER_TYPES;
	assert_int_equal(pm_number_scanner_create(&wrong, 1, false, &scanner, &error), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_parsed), cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(floats_are_parsed),   cmocka_unit_test(numbers_are_compared),
		cmocka_unit_test(random_bytes),        cmocka_unit_test(wrong_tests_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
