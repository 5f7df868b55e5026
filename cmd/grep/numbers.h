/* SPDX-License-Identifier: MIT */
/** @file The numbers that `procmem grep --int` and `--float` search for, and how they are printed.
 */
#ifndef CMD_GREP_NUMBERS_H
#define CMD_GREP_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <procmem/number_scan.h>

#include "base/text.h"
#include "view/json.h"

/** What to search for. Zero it first. */
struct grep_numbers {
	struct pm_number_test tests[PM_NUMBER_TESTS_MAX]; /**< the types and ranges */
	size_t count;                                     /**< number of tests; 0: no numbers */
	bool aligned;                                     /**< --aligned */
};

/**
 * Adds what an option --int or --float searches for.
 *
 * @param numbers  the numbers
 * @param value    argument of the option
 * @param real     whether it is of --float
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int grep_numbers_add(struct grep_numbers *numbers, const char *value, bool real,
                     struct pm_error *error);

/**
 * Adds a number in decimal.
 *
 * @param test   its type
 * @param bytes  its bytes
 * @param text   receives the number
 */
void grep_numbers_put(const struct pm_number_test *test, const uint8_t *bytes, struct text *text);

/**
 * Writes a member with a number, unless it is infinite or NaN, which JSON does not have, or above
 * 2^63 - 1, which many programs that read JSON cannot represent.
 *
 * @param json   the object
 * @param name   name of the member
 * @param test   type of the number
 * @param bytes  its bytes
 */
void grep_numbers_put_json(struct json *json, const char *name, const struct pm_number_test *test,
                           const uint8_t *bytes);

#endif
