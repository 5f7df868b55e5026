/* SPDX-License-Identifier: MIT */
/** @file Binary search in an ascending array. Private. */
#ifndef PM_BASE_SEARCH_H
#define PM_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Finds the first item whose number is greater than a value.
 *
 * @param items   array sorted by ascending number
 * @param count   number of items
 * @param size    size of an item in bytes
 * @param offset  offset of the number within an item, in bytes; the number is a uint64_t
 * @param value   the value
 * @return        index of the item; `count` if no number is greater than the value
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
