/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Minimum, maximum and clamp functions: for `uint64_t` (addresses and sizes in the target), for
 * `size_t` (`_size`) and for `int` (`_int`).
 */
#ifndef PROCMEM_MINMAX_H
#define PROCMEM_MINMAX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the smaller of two numbers.
 * @param a  a number
 * @param b  a number
 * @return   the smaller one
 */
static inline uint64_t pm_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/**
 * Returns the larger of two numbers.
 * @param a  a number
 * @param b  a number
 * @return   the larger one
 */
static inline uint64_t pm_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/**
 * Limits a number to the range from `minimum` to `maximum`: returns the nearest bound if the number
 * is outside of the range.
 *
 * @param value    the number
 * @param minimum  the lower bound
 * @param maximum  the upper bound, at least `minimum`
 * @return         a number from `minimum` to `maximum`
 */
static inline uint64_t pm_clamp(uint64_t value, uint64_t minimum, uint64_t maximum)
{
	return pm_min(pm_max(value, minimum), maximum);
}

/**
 * Returns the smaller of two numbers.
 * @param a  a number
 * @param b  a number
 * @return   the smaller one
 */
static inline size_t pm_min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/**
 * Returns the larger of two numbers.
 * @param a  a number
 * @param b  a number
 * @return   the larger one
 */
static inline size_t pm_max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/**
 * Limits a number to the range from `minimum` to `maximum`: returns the nearest bound if the number
 * is outside of the range.
 *
 * @param value    the number
 * @param minimum  the lower bound
 * @param maximum  the upper bound, at least `minimum`
 * @return         a number from `minimum` to `maximum`
 */
static inline size_t pm_clamp_size(size_t value, size_t minimum, size_t maximum)
{
	return pm_min_size(pm_max_size(value, minimum), maximum);
}

/**
 * Returns the smaller of two numbers.
 * @param a  a number
 * @param b  a number
 * @return   the smaller one
 */
static inline int pm_min_int(int a, int b)
{
	return a < b ? a : b;
}

/**
 * Returns the larger of two numbers.
 * @param a  a number
 * @param b  a number
 * @return   the larger one
 */
static inline int pm_max_int(int a, int b)
{
	return a > b ? a : b;
}

/**
 * Limits a number to the range from `minimum` to `maximum`: returns the nearest bound if the number
 * is outside of the range.
 *
 * @param value    the number
 * @param minimum  the lower bound
 * @param maximum  the upper bound, at least `minimum`
 * @return         a number from `minimum` to `maximum`
 */
static inline int pm_clamp_int(int value, int minimum, int maximum)
{
	return pm_min_int(pm_max_int(value, minimum), maximum);
}

#ifdef __cplusplus
}
#endif

#endif
