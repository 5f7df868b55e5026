/* SPDX-License-Identifier: MIT */
/** @file The sizes of regions at several readings, and what follows from them. Private. */
#ifndef PM_STALE_SIZES_H
#define PM_STALE_SIZES_H

#include <stdint.h>

#include <procmem/region.h>
#include <procmem/stale.h>

/** The sizes of a region at one reading, in bytes. */
struct pm_stale_piece {
	uint64_t start;      /**< first address */
	uint64_t end;        /**< address after the last byte */
	uint64_t rss;        /**< resident */
	uint64_t swap;       /**< swapped out */
	uint64_t referenced; /**< marked as referenced */
	uint64_t anonymous;  /**< resident and anonymous */
	uint8_t kind;        /**< enum pm_kind */
};

/** The sizes of all regions that have any, at one reading, by ascending address. */
struct pm_stale_pieces {
	struct pm_stale_piece *items; /**< owned */
	size_t count;                 /**< number of items */
};

/**
 * Copies the sizes of regions.
 *
 * @param pieces   receives the sizes; release with pm_stale_pieces_deinit()
 * @param regions  the regions, read from smaps
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_stale_pieces_copy(struct pm_stale_pieces *pieces, const struct pm_regions *regions,
                         struct pm_error *error);

/**
 * Releases the sizes.
 * @param pieces  the sizes, or zeroed
 */
void pm_stale_pieces_deinit(struct pm_stale_pieces *pieces);

/**
 * Fills everything in a result except its readings and `stall_us`.
 *
 * @param result   with `readings` and `reading_count`; `regions` has room for all regions
 * @param regions  the regions at the last reading, with their kinds
 * @param pieces   the sizes at each reading
 */
void pm_stale_sizes_compute(struct pm_stale_result *result, const struct pm_regions *regions,
                            const struct pm_stale_pieces *pieces);

#endif
