/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Includes <procmem/minmax.h>, the minimum, maximum and clamp functions, and adds those for
 * `double`. Private.
 */
#ifndef PM_BASE_MINMAX_H
#define PM_BASE_MINMAX_H

#include <procmem/minmax.h>

/** Returns the smaller of two numbers. */
static inline double pm_min_double(double a, double b)
{
	return a < b ? a : b;
}

/** Returns the larger of two numbers. */
static inline double pm_max_double(double a, double b)
{
	return a > b ? a : b;
}

#endif
