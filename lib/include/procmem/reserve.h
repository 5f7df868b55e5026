/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reserves: address space into which a region or a mapped file grows, until the reserve is used up.
 *
 * Two types are found:
 * - A pool is reserved without access. Step by step, mprotect(2) or mmap(2) makes its first bytes
 *   accessible: the accessible region grows into the inaccessible region after it.
 * - A mapping is longer than the mapped file. The file can grow up to the end of the mapping.
 *
 * Reserves of allocators and of language runtimes are not reported: when one is full, its owner
 * continues in another, such as malloc in another heap of an arena, or Go in another arena of its
 * heap. The limits of runtimes are those of headroom.h.
 *
 * The kernel shows adjacent inaccessible mappings as one region, so the real end of a pool can be
 * before the reported end (pm_reserve.end).
 */
#ifndef PROCMEM_RESERVE_H
#define PROCMEM_RESERVE_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>
#include <procmem/trend.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Types of reserves. */
enum pm_reserve_type {
	PM_RESERVE_INACCESSIBLE, /**< inaccessible memory directly after the region */
	PM_RESERVE_FILE, /**< the part of a mapping that is beyond the end of the mapped file */
};

/** A reserve whose used part grew during the observation. Sizes are in bytes. */
struct pm_reserve {
	enum pm_reserve_type type; /**< type of the reserve */
	uint64_t start;            /**< first address of the used part */
	uint64_t end;              /**< address after the last byte of the reserve */
	uint64_t used;             /**< length of the used part, which begins at `start` */
	struct pm_series series;   /**< `used` over time */
};

/**
 * Returns the whole length of a reserve, used and unused part together.
 * @param reserve  the reserve
 * @return         bytes
 */
static inline uint64_t pm_reserve_size(const struct pm_reserve *reserve)
{
	return reserve->end - reserve->start;
}

/** Finds reserves in samples; opaque. Only one thread at a time may use it. */
struct pm_reserves;

/**
 * Creates an object that finds reserves. Add samples with pm_reserves_add().
 *
 * @param reserves  receives the object; release with pm_reserves_destroy()
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
PM_PUBLIC int pm_reserves_create(struct pm_reserves **reserves, struct pm_error *error);

/**
 * Releases an object and its reserves.
 * @param reserves  an object or NULL
 */
PM_PUBLIC void pm_reserves_destroy(struct pm_reserves *reserves);

/**
 * Adds a sample. For the 16 largest regions that map a file with MAP_SHARED, the length of the file
 * is read. Such regions of less than 1 MiB are ignored, and so are files whose length cannot be
 * read.
 *
 * @param reserves  the object
 * @param time      time of the sample in seconds; later than the last sample
 * @param regions   the regions. Reserves of allocators and of runtimes are ignored only if the
 * kinds and owners are known
 * @param process   the process, to read the lengths of mapped files; NULL: they are not read
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
PM_PUBLIC int pm_reserves_add(struct pm_reserves *reserves, double time,
                              const struct pm_regions *regions, struct pm_process *process,
                              struct pm_error *error);

/**
 * Returns the reserves whose used part has grown since the first sample, and that still exist in
 * the last sample. At most 256 reserves are followed at the same time; others are ignored.
 *
 * @param reserves  the object
 * @param count     receives the number of reserves
 * @return          the reserves, in no particular order; valid until the next sample is added
 */
PM_PUBLIC const struct pm_reserve *const *pm_reserves_list(const struct pm_reserves *reserves,
                                                           size_t *count);

/**
 * Finds the reserve that will be used up first.
 *
 * @param reserves  the object
 * @param trend     receives the trend of the used part; unchanged if NULL is returned
 * @param seconds   receives the time from the last sample until the reserve is used up; an
 *                  estimate if pm_trend.estimate is set. Unchanged if NULL is returned
 * @return          the reserve, valid until the next sample is added. Only reserves are considered
 *                  that are not full, and that grow at a known or estimated rate. NULL if there is
 *                  no such reserve
 */
PM_PUBLIC const struct pm_reserve *pm_reserves_soonest(const struct pm_reserves *reserves,
                                                       struct pm_trend *trend, double *seconds);

#ifdef __cplusplus
}
#endif

#endif
