/* SPDX-License-Identifier: MIT */
/** @file Conversions of floating-point numbers to integers that cannot overflow. */
#ifndef CMD_BASE_CONVERT_H
#define CMD_BASE_CONVERT_H

#include <math.h>
#include <stdint.h>

/**
 * Converts to an integer. A number that does not fit becomes the nearest integer that does.
 *
 * @param number  the number
 * @return        the integer; 0 for NaN
 */
static inline int64_t convert_int64(double number)
{
	/* Powers of two, so that a double has exactly this value. */
	const double bound = 9223372036854775808.0;

	if (number >= bound)
		return INT64_MAX;
	if (number <= -bound)
		return INT64_MIN;

	return isnan(number) ? 0 : (int64_t)number;
}

/**
 * Converts to an integer that is not negative. A number that does not fit becomes the nearest
 * integer that does.
 *
 * @param number  the number
 * @return        the integer; 0 for NaN
 */
static inline uint64_t convert_uint64(double number)
{
	if (number >= 18446744073709551616.0)
		return UINT64_MAX;

	return number > 0 ? (uint64_t)number : 0;
}

#endif
