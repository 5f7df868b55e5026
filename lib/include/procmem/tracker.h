/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The history of each region over many samples, whatever the kernel does to it: a track.
 *
 * A track follows what pm_growth_compare() matches, as far as that is of one kind: all regions of a
 * track are of the kind that they have at the last sample, so that the tracks of a kind weigh as
 * much as its regions do. Similar new regions share one track from the start: a process that piles
 * up threads has one growing track of stacks, not a thousand new regions. Regions are similar if
 * kind and permissions are the same, names are the same apart from numbers, and lengths are close;
 * for blocks that malloc mapped one by one, the sizes of the blocks are compared instead. Once
 * thousands of such tracks have lost their regions again, names are no longer compared.
 */
#ifndef PROCMEM_TRACKER_H
#define PROCMEM_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>
#include <procmem/trend.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * One track. Weights are resident and swapped bytes together. If it has several regions, the one
 * that grew last represents it: it stays while nothing grows, and while no other region grows more
 * than twice as much.
 */
struct pm_track {
	uint64_t start; /**< first address of the representative region: the one that grew last, or
	                     the heaviest if none grew; the last one if the track has no regions */
	uint64_t end;   /**< address after the last byte of that region */
	uint64_t own;   /**< weight of that region alone, in bytes */
	enum pm_kind kind;   /**< kind of that region */
	unsigned perms;      /**< permissions of that region: enum pm_perm bits */
	pid_t thread;        /**< thread whose stack that region is, 0 for none */
	const char *mapping; /**< name of that region, "" for none; valid until the next sample is
	                          added */
	struct pm_detail detail; /**< detail of that region; valid as long as `mapping` is */
	size_t regions;          /**< number of regions now; 0: gone */
	size_t max_regions;      /**< largest number of regions so far */
	uint64_t block_min; /**< smallest pm_region_chunk_max() of its regions, in bytes; 0 if one
	                       has no chunk */
	uint64_t block_max; /**< largest pm_region_chunk_max() of its regions, in bytes */
	bool born;          /**< was not in the first sample */
	double since;       /**< time of its first sample, in seconds */
	uint64_t weight;    /**< resident and swapped bytes now */
	uint64_t size;      /**< bytes of address space now */
	uint64_t baseline;  /**< weight from which growth is counted: at the first sample, or at
	                         pm_tracker_rebase(); 0 for later tracks */
	size_t baseline_regions; /**< number of regions at that time */
	int64_t delta;           /**< change of the weight at the last sample, in bytes */
	struct pm_series series; /**< weight over time; empty if it never changed */
	struct pm_series counts; /**< number of regions over time; empty if it never changed */
};

/** Follows regions; opaque. Not to be shared between threads. */
struct pm_tracker;

/**
 * Makes a tracker.
 *
 * @param tracker  receives the tracker; release with pm_tracker_destroy()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_tracker_create(struct pm_tracker **tracker, struct pm_error *error);

/**
 * Releases a tracker.
 * @param tracker a tracker or NULL
 */
PM_PUBLIC void pm_tracker_destroy(struct pm_tracker *tracker);

/**
 * Adds a sample.
 *
 * @param tracker  the tracker
 * @param time     seconds; later than the last sample
 * @param regions  the regions with RSS and swap; copied; NULL: nothing changed since the last
 *                 sample
 * @param error    PM_ERROR_RESOURCES; afterwards the tracker can only be destroyed
 * @return         0 or -1
 */
PM_PUBLIC int pm_tracker_add(struct pm_tracker *tracker, double time,
                             const struct pm_regions *regions, struct pm_error *error);

/**
 * Returns all tracks, in no particular order.
 *
 * @param tracker  the tracker
 * @param count    receives the number of tracks
 * @return         the tracks; the array is valid until the next sample is added, each track as long
 *                 as the tracker
 */
PM_PUBLIC const struct pm_track *const *pm_tracker_tracks(const struct pm_tracker *tracker,
                                                          size_t *count);

/**
 * Returns the track of a region of the last list that was added.
 *
 * @param tracker  the tracker
 * @param region   index of the region in that list
 * @return         its track
 */
PM_PUBLIC const struct pm_track *pm_tracker_owner(const struct pm_tracker *tracker, size_t region);

/**
 * Resets the baselines of all tracks: growth counts from now on.
 * @param tracker the tracker
 */
PM_PUBLIC void pm_tracker_rebase(struct pm_tracker *tracker);

/**
 * Judges the weight of a track over time.
 *
 * @param tracker  the tracker
 * @param track    one of its tracks
 * @param trend    filled
 */
PM_PUBLIC void pm_track_judge(const struct pm_tracker *tracker, const struct pm_track *track,
                              struct pm_trend *trend);

/**
 * Judges the number of regions of a track over time.
 *
 * @param tracker  the tracker
 * @param track    one of its tracks
 * @param trend    filled
 */
PM_PUBLIC void pm_track_judge_count(const struct pm_tracker *tracker, const struct pm_track *track,
                                    struct pm_trend *trend);

#ifdef __cplusplus
}
#endif

#endif
