/* SPDX-License-Identifier: MIT */
/** @file The smaller of two numbers. Private. */
#ifndef PM_BASE_MINMAX_H
#define PM_BASE_MINMAX_H

#include <stddef.h>
#include <stdint.h>

/**
 * For addresses, and for sizes in the target.
 * @return the smaller one
 */
static inline uint64_t pm_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/**
 * For sizes and counts of this process.
 * @return the smaller one
 */
static inline size_t pm_min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

#endif
