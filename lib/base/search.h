/* SPDX-License-Identifier: MIT */
/** @file Finding a place in an ascending array. Private. */
#ifndef PM_BASE_SEARCH_H
#define PM_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Finds the first item of which a number is above a value.
 *
 * @param items   an array in which the numbers ascend
 * @param count   how many items it has
 * @param size    bytes of one
 * @param offset  where the number, an uint64_t, stands in it
 * @param value   the value
 * @return        its index; `count` where there is none
 */
static inline size_t pm_first_above(const void *items, size_t count, size_t size, size_t offset,
                                    uint64_t value)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t number;
		memcpy(&number, (const char *)items + middle * size + offset, sizeof number);
		if (number <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
