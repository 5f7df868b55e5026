/* SPDX-License-Identifier: MIT */
#include <procmem/number.h>
#include <procmem/number_test.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

/** A parsed number that is formatted must be parsed to the same number. */
static void check_decimal(const char *text)
{
	uint64_t value, again;
	struct pm_error error = { 0 };
	if (pm_parse_decimal(text, UINT64_MAX, &value, &error) < 0) {
		fuzz_check_error(&error);
		return;
	}

	char written[32];
	snprintf(written, sizeof written, "%" PRIu64, value);
	fuzz_check(pm_parse_decimal(written, value, &again, NULL) == 0 && again == value);
	fuzz_check(value == 0 || pm_parse_decimal(written, value - 1, &again, NULL) == -1);
	fuzz_check(pm_parse_size(text, &again, NULL) == 0 && again == value);
}

static void check_address(const char *text)
{
	uint64_t value, again;
	struct pm_error error = { 0 };
	if (pm_parse_address(text, &value, &error) < 0) {
		fuzz_check_error(&error);
		return;
	}

	char written[32];
	snprintf(written, sizeof written, "0x%" PRIx64, value);
	fuzz_check(pm_parse_address(written, &again, NULL) == 0 && again == value);
}

static void check_size(const char *text)
{
	uint64_t value, again;
	struct pm_error error = { 0 };
	if (pm_parse_size(text, &value, &error) < 0) {
		fuzz_check_error(&error);
		return;
	}

	char written[PM_SIZE_TEXT_SIZE];
	fuzz_check(pm_format_size(value, written) == strlen(written));

	/* One decimal is kept: the parsed value differs by at most a twentieth of the unit, except
	 * where 16.0E is out of range. */
	if (value > 0 && value < UINT64_MAX - (UINT64_C(1) << 60)) {
		fuzz_check(pm_parse_size(written, &again, NULL) == 0);
		uint64_t off = again > value ? again - value : value - again;
		fuzz_check(off <= value / 20 + 1);
	}
}

/** Numbers to search for: what is accepted is valid, and a bound can be written and parsed again.
 */
static void check_tests(const char *text)
{
	struct pm_number_test tests[2], again;
	struct pm_error error = { 0 };
	size_t count;
	char written[PM_NUMBER_TEXT_SIZE];

	if (pm_number_test_parse_int(text, &tests[0], &error) < 0)
		fuzz_check_error(&error);
	else {
		uint8_t bytes[PM_NUMBER_SIZE_MAX];
		memcpy(bytes, &tests[0].low, sizeof bytes);
		fuzz_check(pm_number_test_is_valid(&tests[0]));
		fuzz_check(pm_number_test_matches(&tests[0], bytes));
		fuzz_check(pm_number_test_format(&tests[0], bytes, written) < sizeof written);
		fuzz_check(pm_number_test_parse_int(written, &again, NULL) == 0);
		fuzz_check(again.low == tests[0].low);
	}

	error = (struct pm_error){ 0 };
	if (pm_number_test_parse_float(text, tests, &count, &error) < 0) {
		fuzz_check_error(&error);
		return;
	}
	fuzz_check(count == 1 || count == 2);
	for (size_t i = 0; i < count; i++)
		fuzz_check(pm_number_test_is_valid(&tests[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	check_decimal(text);
	check_address(text);
	check_size(text);
	check_tests(text);
	free(text);
	return 0;
}
