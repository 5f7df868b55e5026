/* SPDX-License-Identifier: MIT */
/**
 * @file Sizes of a list of regions: what they add up to, going back to former ones, comparing.
 * Private.
 */
#ifndef PM_SAMPLE_SIZES_H
#define PM_SAMPLE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/region.h>
#include <procmem/sample.h>

/** What a list of regions adds up to. */
struct pm_sums {
	int64_t unexplained;   /**< resident bytes of the process that no region accounts for: the
	                          kernel's figures lag behind each other */
	uint64_t inaccessible; /**< resident bytes that nobody may use: more where the list is out
	                          of date, because mprotect(2) opened a reserve */
};

/** Adds up a list, and compares that with the totals of the process. */
struct pm_sums pm_sums_of(const struct pm_regions *regions, const struct pm_totals *totals);

/**
 * Whether a list seems to be out of date, although the size of the address space is the same.
 *
 * @param was  when it was read
 * @param is   by now
 */
bool pm_sums_are_doubtful(const struct pm_sums *was, const struct pm_sums *is);

/** Whether two lists have regions at the same addresses, of the same sizes. */
bool pm_sizes_are_same(const struct pm_regions *one, const struct pm_regions *other);

/** Resident and swapped bytes of a list, to go back to. */
struct pm_saved_sizes {
	uint64_t (*bytes)[2]; /**< RSS and SWAP of each region */
};

/**
 * Notes the sizes.
 * @return 0 or -1
 */
int pm_sizes_save(const struct pm_regions *regions, struct pm_saved_sizes *saved,
                  struct pm_error *error);

/** Sets the sizes to what they were. */
void pm_sizes_restore(struct pm_regions *regions, const struct pm_saved_sizes *saved);

/** Forgets them. */
void pm_sizes_free(struct pm_saved_sizes *saved);

#endif
