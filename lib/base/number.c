/* SPDX-License-Identifier: MIT */
/*
 * Parses and formats numbers, sizes and durations. strtoull(3) is not used for parsing because it
 * accepts leading spaces and signs. printf(3) is not sufficient for formatting because it has no
 * conversion for sizes with units.
 */
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int pm_parse_decimal(const char *text, uint64_t max, uint64_t *value, struct pm_error *error)
{
	const char *at = text;
	uint64_t number;
	if (!pm_scan_decimal(&at, &number) || *at != '\0') {
		if (text[0] != '\0' && strspn(text, "0123456789") == strlen(text))
			return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is too large", text);
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is not a whole number: must be 0, 1, 2, ...", text);
	}

	if (number > max)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is too large: the maximum is %" PRIu64, text, max);

	*value = number;
	return 0;
}

int pm_parse_address(const char *text, uint64_t *value, struct pm_error *error)
{
	const char *at = text;
	uint64_t number;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	if (!pm_scan_hex(&at, &number) || *at != '\0')
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is not an address: write an address in hexadecimal, such "
		                    "as 0x7f3a08000000",
		                    text);

	*value = number;
	return 0;
}

/**
 * Parses the unit of a size, such as `K`, `KB`, `KiB` or `B`, and moves *text past the unit.
 * @return the binary logarithm of the unit, 10 for `K`; 0 for `B` and if *text is empty; -1 if
 *         *text does not start with a unit
 */
static int scan_unit(const char **text)
{
	static const char units[] = "KMGTPE";
	const char *at = *text;
	if (*at == '\0')
		return 0;

	int shift = 0;
	char letter = *at;
	if (letter >= 'a' && letter <= 'z')
		letter = (char)(letter - 'a' + 'A');

	const char *unit = strchr(units, letter);
	if (unit) {
		shift = 10 * (int)(unit - units + 1);
		at++;
		if (at[0] == 'i' && (at[1] == 'B' || at[1] == 'b'))
			at++;
	}

	if (*at == 'B' || *at == 'b')
		at++;
	if (at == *text)
		return -1;

	*text = at;
	return shift;
}

/**
 * Parses the digits after the decimal point, and moves *text past them. Only the first 18 digits
 * are used, which are enough to determine the number of bytes for every unit.
 *
 * @param digits  receives the digits as an integer: 25 for ".25"
 * @param scale   receives the power of ten by which `digits` must be divided: 100 for ".25"
 * @return        false if there is no digit
 */
static bool scan_fraction(const char **text, uint64_t *digits, uint64_t *scale)
{
	const char *at = *text;

	*digits = 0;
	*scale = 1;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (*scale < UINT64_C(1000000000000000000)) {
			*digits = *digits * 10 + (uint64_t)(*at - '0');
			*scale *= 10;
		}
	}

	bool some = at != *text;
	*text = at;

	return some;
}

static int set_not_a_size(const char *text, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "'%s' is not a size: write a number of bytes, or a number with a unit, "
	                    "such as 64K, 1.5M or 2G",
	                    text);
}

static int set_too_large(const char *text, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_USAGE, 0, "the size '%s' does not fit in 64 bits",
	                    text);
}

int pm_parse_size(const char *text, uint64_t *value, struct pm_error *error)
{
	const char *at = text;
	uint64_t whole = 0, digits = 0, scale = 1;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		at += 2;
		if (!pm_scan_hex(&at, &whole) || *at != '\0')
			return set_not_a_size(text, error);
		*value = whole;
		return 0;
	}

	size_t length = strspn(at, "0123456789");
	if (length == 0)
		return set_not_a_size(text, error);
	if (!pm_scan_decimal(&at, &whole))
		return set_too_large(text, error);

	bool fraction = *at == '.';
	if (fraction) {
		at++;
		if (!scan_fraction(&at, &digits, &scale))
			return set_not_a_size(text, error);
	}

	int shift = scan_unit(&at);
	if (shift < 0 || *at != '\0' || (fraction && shift == 0))
		return set_not_a_size(text, error);

	/* The product is computed in 128 bits, since it may exceed 64 bits before the division. */
	unsigned __int128 part = ((unsigned __int128)digits << shift) / scale;
	unsigned __int128 bytes = ((unsigned __int128)whole << shift) + part;
	if (bytes > UINT64_MAX)
		return set_too_large(text, error);

	*value = (uint64_t)bytes;
	return 0;
}

/**
 * Finds the unit for a size of at least 1 K: the smallest unit in which the rounded size is below
 * 1024, or the largest unit if there is none.
 *
 * @param bytes  the size in bytes
 * @param units  number of units
 * @param unit   receives the index of the unit, 0 for K
 * @return       the size in tenths of the unit, rounded half up
 */
static uint64_t tenths_of_unit(uint64_t bytes, size_t units, size_t *unit)
{
	for (*unit = 0;; ++*unit) {
		unsigned shift = 10 * ((unsigned)*unit + 1);
		unsigned __int128 half = (unsigned __int128)1 << (shift - 1);
		uint64_t tenths = (uint64_t)(((unsigned __int128)bytes * 10 + half) >> shift);

		if (tenths < 10240 || *unit == units - 1)
			return tenths;
	}
}

/**
 * Writes a number in decimal, without a NUL. Tables contain many sizes, and this function is faster
 * than snprintf(3).
 * @return number of digits
 */
static size_t put_decimal(uint64_t number, char *text)
{
	char digits[20];
	size_t count = 0, length = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) > 0);

	while (count > 0)
		text[length++] = digits[--count];

	return length;
}

size_t pm_format_size(uint64_t bytes, char *text)
{
	static const char units[] = "KMGTPE";
	size_t length, unit;

	if (bytes == 0) {
		memcpy(text, "-", 2);
		return 1;
	}

	if (bytes < 1024) {
		length = put_decimal(bytes, text);
		text[length++] = 'B';
	} else {
		uint64_t tenths = tenths_of_unit(bytes, sizeof units - 1, &unit);

		length = put_decimal(tenths / 10, text);
		text[length++] = '.';
		text[length++] = (char)('0' + tenths % 10);
		text[length++] = units[unit];
	}

	text[length] = '\0';
	return length;
}

size_t pm_format_duration(double seconds, char *text)
{
	static const struct {
		const char *unit;
		unsigned long seconds;
	} units[] = { { "d", 86400 }, { "h", 3600 }, { "m", 60 }, { "s", 1 } };

	/* This condition is also true for NaN. */
	if (!(seconds > 0))
		seconds = 0;
	if (seconds >= 10000.0 * 86400)
		return (size_t)snprintf(text, PM_DURATION_TEXT_SIZE, ">10000d");
	if (seconds < 9.95)
		return (size_t)snprintf(text, PM_DURATION_TEXT_SIZE, "%.1fs", seconds);

	unsigned long whole = (unsigned long)(seconds + 0.5);
	size_t unit = 0;
	while (whole < units[unit].seconds)
		unit++;

	unsigned long high = whole / units[unit].seconds;
	if (unit == 3)
		return (size_t)snprintf(text, PM_DURATION_TEXT_SIZE, "%lus", high);

	unsigned long low = whole % units[unit].seconds / units[unit + 1].seconds;
	return (size_t)snprintf(text, PM_DURATION_TEXT_SIZE, "%lu%s %lu%s", high, units[unit].unit,
	                        low, units[unit + 1].unit);
}
