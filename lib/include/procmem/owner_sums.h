/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Sums of the memory of a process by owner (owner.h).
 *
 * A region with one owner counts as a whole. A region with several owners (pm_region.owner_mixed)
 * is divided at the ranges of the runtimes, and its resident and swapped bytes are divided by the
 * states of its pages. What is in no range belongs to the owner that follows from the kind of the
 * region. The sums of all owners together are always those of the regions.
 */
#ifndef PROCMEM_OWNER_SUMS_H
#define PROCMEM_OWNER_SUMS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/owner.h>
#include <procmem/read_plan.h>
#include <procmem/region.h>
#include <procmem/runtimes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is needed to divide regions with several owners. All members may be NULL. */
struct pm_owner_sums_source {
	/** The ranges of the owners. NULL: each region belongs to its main owner as a whole */
	const struct pm_runtimes *runtimes;
	/**
	 * Page states of the target. NULL: the sizes of a region with several owners are divided in
	 * the ratio of the addresses, and are approximate
	 */
	const struct pm_page_source *pages;
	const volatile sig_atomic_t *cancel; /**< cancellation flag: PM_ERROR_CANCELLED */
};

/** The memory of one owner. */
struct pm_owner_sum {
	size_t regions;   /**< number of regions of which at least a part belongs to the owner */
	uint64_t size;    /**< bytes of address space */
	uint64_t largest; /**< largest number of bytes of address space in one region */
	/** Resident and swapped bytes of which it is inferred that they belong to the owner */
	uint64_t inferred;
	uint32_t known; /**< PM_SIZE_BIT() of each size that at least one of the regions has */
	/**
	 * Sizes in bytes, indexed by enum pm_size. Of a region with several owners, only
	 * PM_SIZE_RSS and PM_SIZE_SWAP are measured; the others are divided in their ratio.
	 * Page sizes (PM_SIZE_KERNEL_PAGE, PM_SIZE_MMU_PAGE) are 0
	 */
	uint64_t bytes[PM_SIZE_COUNT];
};

/** The memory of all owners. A zeroed struct has no memory. */
struct pm_owner_sums {
	struct pm_owner_sum items[PM_OWNER_COUNT]; /**< indexed by enum pm_owner */
	/**
	 * Bytes of resident and swapped memory that were divided by ratio, because page states are
	 * not known, or because pages came or went since the sizes of the region were measured
	 */
	uint64_t approximate;
};

/**
 * Adds a region.
 *
 * @param source  how to divide a region with several owners
 * @param region  the region, with its owner (pm_kinds_assign())
 * @param sums    receives the sizes of the region; unchanged on failure
 * @param error   PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
PM_PUBLIC int pm_owner_sums_add(const struct pm_owner_sums_source *source,
                                const struct pm_region *region, struct pm_owner_sums *sums,
                                struct pm_error *error);

/**
 * Sums up all regions.
 *
 * @param source   how to divide regions with several owners
 * @param regions  the regions, with their owners
 * @param sums     receives the sums; unchanged on failure
 * @param error    as for pm_owner_sums_add()
 * @return         0 or -1
 */
PM_PUBLIC int pm_owner_sums_read(const struct pm_owner_sums_source *source,
                                 const struct pm_regions *regions, struct pm_owner_sums *sums,
                                 struct pm_error *error);

/**
 * Returns the resident and swapped bytes of an owner.
 * @param sum  the memory of the owner
 * @return     bytes
 */
static inline uint64_t pm_owner_sum_weight(const struct pm_owner_sum *sum)
{
	return sum->bytes[PM_SIZE_RSS] + sum->bytes[PM_SIZE_SWAP];
}

/**
 * Finds the owner of an address.
 *
 * @param runtimes  the ranges of the owners; may be NULL
 * @param region    the region that contains the address, with its owner
 * @param address   the address
 * @return          the owner, and the addresses around `address` that belong to it for the same
 *                  reason, within the region
 */
PM_PUBLIC struct pm_owner_range pm_owner_sums_find(const struct pm_runtimes *runtimes,
                                                   const struct pm_region *region,
                                                   uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
