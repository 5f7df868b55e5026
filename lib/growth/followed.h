/* SPDX-License-Identifier: MIT */
/** @file One track: its sums over regions, and its history. Private. */
#ifndef PM_GROWTH_FOLLOWED_H
#define PM_GROWTH_FOLLOWED_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/tracker.h>

/** A track, and what only the tracker needs. */
struct pm_followed {
	struct pm_track track; /**< the public part */
	uint64_t key;          /**< similarity key of new regions that join the track, 0 for none */
	uint64_t was;          /**< weight at the previous sample */
	size_t was_regions;    /**< number of regions at the previous sample */
	uint64_t was_start;    /**< start of the representative region at the previous sample */
	uint64_t was_end;      /**< end of that region */
	uint64_t claim; /**< growth of the representative region chosen so far in this sample;
	                     doubled if it is the one of the previous sample */
	bool stays;     /**< the region chosen so far is the one of the previous sample */
};

/** Returns the resident and swapped bytes of a region. */
static inline uint64_t pm_region_weight(const struct pm_region *region)
{
	return region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP];
}

/** Resets the sums of a track, before the regions of a sample are counted. */
void pm_followed_clear(struct pm_followed *followed);

/**
 * Adds a region to the sums of its track, and chooses the representative region.
 *
 * @param followed  the track
 * @param region    the region; its strings must outlive the sums
 * @param was       bytes that the track had at the addresses of the region before
 */
void pm_followed_count(struct pm_followed *followed, const struct pm_region *region, uint64_t was);

/**
 * Adds the history of a track that a merge left without regions to the history of another.
 *
 * @param winner  receives baseline, weight and series of the loser
 * @param loser   without history afterwards
 * @param last    time of the last sample, in seconds
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_followed_merge(struct pm_followed *winner, struct pm_followed *loser, double last,
                      struct pm_error *error);

#endif
