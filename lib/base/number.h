/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Parsing of numbers within a longer text. Private; the public part is <procmem/number.h>.
 */
#ifndef PM_BASE_NUMBER_H
#define PM_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/number.h>

/**
 * Returns the value of a hexadecimal digit.
 * @param c  the character
 * @return   0 to 15; -1 for any other character
 */
static inline int pm_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/**
 * Parses hexadecimal digits at *text, and moves *text past them.
 * @return false if there is no digit, or if the number does not fit in 64 bits; *text is unchanged
 *         in this case
 */
static inline bool pm_scan_hex(const char **text, uint64_t *value)
{
	const char *at = *text;
	uint64_t number = 0;
	int digit;
	while ((digit = pm_hex_digit(*at)) >= 0) {
		if (number >> 60)
			return false;
		number = number << 4 | (uint64_t)digit;
		at++;
	}
	if (at == *text)
		return false;
	*text = at;
	*value = number;
	return true;
}

/**
 * Parses decimal digits at *text, and moves *text past them.
 * @return false if there is no digit, or if the number does not fit in 64 bits; *text is unchanged
 *         in this case
 */
static inline bool pm_scan_decimal(const char **text, uint64_t *value)
{
	const char *at = *text;
	uint64_t number = 0;
	while (*at >= '0' && *at <= '9') {
		if (__builtin_mul_overflow(number, (uint64_t)10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			return false;
		at++;
	}
	if (at == *text)
		return false;
	*text = at;
	*value = number;
	return true;
}

#endif
