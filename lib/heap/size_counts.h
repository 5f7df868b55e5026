/* SPDX-License-Identifier: MIT */
/** @file Numbers of chunks by their size. Private. */
#ifndef PM_HEAP_SIZE_COUNTS_H
#define PM_HEAP_SIZE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** Numbers by size. Zero-initialise it; release with pm_size_counts_deinit(). */
struct pm_size_counts {
	int64_t *small; /**< by size in units of 16 bytes; NULL before the first number */
	/** Other sizes: a hash table of pairs, size and number; a size of 0 is a free place */
	int64_t (*large)[2];
	size_t large_count;    /**< number of pairs */
	size_t large_capacity; /**< number of places, a power of two */
	/** Sizes that have no place, because there are too many of them */
	uint64_t lost;
};

/**
 * Adds to the number of a size.
 *
 * @param size    size in bytes, not 0
 * @param number  what is added; may be negative
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_size_counts_add(struct pm_size_counts *counts, uint64_t size, int64_t number,
                       struct pm_error *error);

/** Returns the number of a size; 0 if nothing was added. */
int64_t pm_size_counts_get(const struct pm_size_counts *counts, uint64_t size);

/** Releases numbers. */
void pm_size_counts_deinit(struct pm_size_counts *counts);

#endif
