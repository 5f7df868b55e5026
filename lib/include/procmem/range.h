/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Ranges of addresses.
 */
#ifndef PROCMEM_RANGE_H
#define PROCMEM_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/minmax.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A half-open range of addresses, `[start, end)`. */
struct pm_range {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address after the last byte, at least `start` */
};

/**
 * Returns the size of a range.
 * @param range  the range
 * @return       bytes
 */
static inline uint64_t pm_range_size(struct pm_range range)
{
	return range.end - range.start;
}

/**
 * Tests whether an address is in a range.
 * @param range    the range
 * @param address  the address
 * @return         true or false
 */
static inline bool pm_range_contains(struct pm_range range, uint64_t address)
{
	return range.start <= address && address < range.end;
}

/**
 * Returns the part of a range that is within bounds.
 *
 * @param range   the range
 * @param bounds  the bounds
 * @return        the common part; an empty range if there is none
 */
static inline struct pm_range pm_range_clip(struct pm_range range, struct pm_range bounds)
{
	struct pm_range clipped;

	clipped.start = pm_max(range.start, bounds.start);
	clipped.end = pm_max(clipped.start, pm_min(range.end, bounds.end));
	return clipped;
}

#ifdef __cplusplus
}
#endif

#endif
