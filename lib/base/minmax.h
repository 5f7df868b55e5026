/* SPDX-License-Identifier: MIT */
/** @file Minimum and maximum of two numbers. Private. */
#ifndef PM_BASE_MINMAX_H
#define PM_BASE_MINMAX_H

#include <stddef.h>
#include <stdint.h>

/**
 * For addresses, and for sizes in the target.
 * @return the smaller number
 */
static inline uint64_t pm_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/**
 * For addresses, and for sizes in the target.
 * @return the larger number
 */
static inline uint64_t pm_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/**
 * For sizes and counts of our own process.
 * @return the smaller number
 */
static inline size_t pm_min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/**
 * For sizes and counts of our own process.
 * @return the larger number
 */
static inline size_t pm_max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/**
 * For sizes and counts of our own process.
 * @return the number in [low, high] that is nearest to `value`
 */
static inline size_t pm_clamp_size(size_t value, size_t low, size_t high)
{
	return pm_max_size(low, pm_min_size(value, high));
}

#endif
