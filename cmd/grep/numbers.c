/* SPDX-License-Identifier: MIT */
#include "grep/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int grep_numbers_add(struct grep_numbers *numbers, const char *value, bool real,
                     struct pm_error *error)
{
	struct pm_number_test tests[2];
	size_t count = 1;
	int result;

	if (real)
		result = pm_number_test_parse_float(value, tests, &count, error);
	else
		result = pm_number_test_parse_int(value, &tests[0], error);
	if (result < 0)
		return -1;

	if (numbers->count + count > PM_NUMBER_TESTS_MAX)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "one search can have %d types and ranges; a --float without "
		                    ":SIZE counts as two",
		                    PM_NUMBER_TESTS_MAX);

	memcpy(&numbers->tests[numbers->count], tests, count * sizeof *tests);
	numbers->count += count;
	return 0;
}

void grep_numbers_put(const struct pm_number_test *test, const uint8_t *bytes, struct text *text)
{
	char number[PM_NUMBER_TEXT_SIZE];

	pm_number_test_format(test, bytes, number);
	text_string(text, number);
}

void grep_numbers_put_json(struct json *json, const char *name, const struct pm_number_test *test,
                           const uint8_t *bytes)
{
	char number[PM_NUMBER_TEXT_SIZE];
	pm_number_test_format(test, bytes, number);

	if (test->type == PM_NUMBER_FLOAT) {
		double value = strtod(number, NULL);
		if (isfinite(value))
			json_put(json, name, json_real(value));
		return;
	}

	if (test->type == PM_NUMBER_INT) {
		json_put(json, name, json_integer(strtoll(number, NULL, 10)));
		return;
	}

	uint64_t value = strtoull(number, NULL, 10);
	if (value <= INT64_MAX)
		json_put(json, name, json_number(value));
}
