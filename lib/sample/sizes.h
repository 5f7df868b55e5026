/* SPDX-License-Identifier: MIT */
/** @file Adds up, saves, restores and compares the sizes of a list of regions. Private. */
#ifndef PM_SAMPLE_SIZES_H
#define PM_SAMPLE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/region.h>
#include <procmem/sample.h>

/** Sums over a list of regions. */
struct pm_sums {
	int64_t unexplained; /**< resident bytes of the process minus the sum of the resident bytes
	                        of all regions. Not always 0, because counters of the kernel lag */
	uint64_t inaccessible; /**< resident bytes of regions without permissions. An increase shows
	                          that the list is outdated: mprotect(2) made a part of such a
	                          region accessible */
};

/**
 * Adds up the sizes of a list.
 *
 * @param regions  the list
 * @param totals   totals of the process at the same time
 * @return         the sums
 */
struct pm_sums pm_sums_of(const struct pm_regions *regions, const struct pm_totals *totals);

/**
 * Checks whether the sums suggest that a list is outdated. This is for lists of which the size of
 * the address space did not change.
 *
 * @param was  sums when the list was read
 * @param is   sums now
 * @return     true if the list has to be read again
 */
bool pm_sums_are_doubtful(const struct pm_sums *was, const struct pm_sums *is);

/**
 * Checks whether two lists have the same regions with the same sizes.
 *
 * @param one    a list
 * @param other  another list
 * @return       true if addresses, permissions, RSS and swap are the same
 */
bool pm_sizes_are_same(const struct pm_regions *one, const struct pm_regions *other);

/** Saved sizes of a list. */
struct pm_saved_sizes {
	uint64_t (*bytes)[2]; /**< RSS and swap of each region; owned */
};

/**
 * Saves the sizes of a list.
 *
 * @param regions  the list
 * @param saved    filled; release with pm_sizes_free()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_sizes_save(const struct pm_regions *regions, struct pm_saved_sizes *saved,
                  struct pm_error *error);

/**
 * Restores the sizes of a list that pm_sizes_save() saved.
 *
 * @param regions  the list; it must still have the same regions
 * @param saved    the saved sizes
 */
void pm_sizes_restore(struct pm_regions *regions, const struct pm_saved_sizes *saved);

/**
 * Releases saved sizes.
 * @param saved the saved sizes
 */
void pm_sizes_free(struct pm_saved_sizes *saved);

#endif
