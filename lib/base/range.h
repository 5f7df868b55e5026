/* SPDX-License-Identifier: MIT */
/** @file The order of ranges. Private. */
#ifndef PM_BASE_RANGE_H
#define PM_BASE_RANGE_H

#include <procmem/range.h>

/** Compares two ranges by their starts, for qsort(3). */
static inline int pm_range_compare(const void *left, const void *right)
{
	const struct pm_range *one = left, *other = right;

	return (one->start > other->start) - (one->start < other->start);
}

#endif
