/* SPDX-License-Identifier: MIT */
/** @file A track: its sums over regions and its history. Private. */
#ifndef PM_GROWTH_FOLLOWED_H
#define PM_GROWTH_FOLLOWED_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/tracker.h>

/** A track with the additional state that the tracker keeps for it. */
struct pm_followed {
	struct pm_track track; /**< the public part */
	uint64_t key; /**< similarity key: new regions with this key join the track; 0 if no new
	                 region may join */
	uint64_t was; /**< weight at the previous sample, in bytes */
	size_t was_regions; /**< number of regions at the previous sample */
	uint64_t was_start; /**< start of the representative region at the previous sample */
	uint64_t was_end;   /**< end of that region */
	uint64_t claim;     /**< growth of the representative region at the last sample, in bytes,
	                       doubled if `stays` is true */
	bool stays;         /**< the representative region overlaps that of the previous sample */
};

/** Returns the resident and swapped bytes of a region. */
static inline uint64_t pm_region_weight(const struct pm_region *region)
{
	return region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP];
}

/** Resets the sums of a track. Call it before the regions of a sample are counted. */
void pm_followed_clear(struct pm_followed *followed);

/**
 * Adds a region to the sums of its track. Makes it the representative region if it represents the
 * track better than the region chosen so far.
 *
 * @param followed  the track
 * @param region    the region; its strings must remain valid until the track is cleared
 * @param was       weight of the track at the addresses of the region in the previous sample, in
 *                  bytes
 */
void pm_followed_count(struct pm_followed *followed, const struct pm_region *region, uint64_t was);

/**
 * Adds the history of one track to that of another, because the regions of the first track were
 * merged with those of the other.
 *
 * @param winner  the track to which baseline, weight and series of the loser are added
 * @param loser   the track without regions; its history is cleared
 * @param last    time of the last sample, in seconds
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_followed_merge(struct pm_followed *winner, struct pm_followed *loser, double last,
                      struct pm_error *error);

#endif
