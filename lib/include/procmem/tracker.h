/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The history of each region over many samples, whatever the kernel does to it: a track.
 *
 * A track follows what pm_growth_compare() calls the same, as far as that is of one kind: all
 * regions of a track are of the kind that they have at the last sample, so that the tracks of a
 * kind weigh what its regions do. New regions that look alike (kind, permissions, name with numbers
 * left out, similar length; of blocks that malloc mapped one by one: similar size of these) share
 * one track from the start: a process that piles up threads has one growing track of stacks, not a
 * thousand new regions. Once thousands of tracks that began so have lost their regions again, new
 * regions are alike whatever their names.
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
 * One thing that is followed. Sizes are resident and swapped bytes together. Where it is several
 * regions, the one that grew last stands for them: it stays when nothing grows, and when another
 * one grows less than twice as much.
 */
struct pm_track {
	uint64_t start; /**< first address of the region that grew last, of the heaviest where none
	                   did; of the last one where it has none */
	uint64_t end;   /**< address behind the last byte of it */
	uint64_t own;   /**< resident and swapped bytes of that region alone */
	enum pm_kind kind;   /**< kind of it */
	unsigned perms;      /**< permissions of it */
	pid_t thread;        /**< thread whose stack that is, 0 for none */
	const char *mapping; /**< name of it, "" for none; lives until the next sample is added */
	struct pm_detail detail; /**< what else is known of it; lives as long as `mapping` */
	size_t regions;          /**< how many regions it has now; 0: gone */
	size_t max_regions;      /**< the most that it ever had */
	uint64_t block_min; /**< of its regions' largest blocks of malloc's the least, 0 where one
	                         has none */
	uint64_t block_max; /**< and the largest */
	bool born;          /**< was not there at the first sample */
	double since;       /**< time of its first sample */
	uint64_t weight;    /**< resident and swapped bytes now */
	uint64_t size;      /**< bytes of address space now */
	uint64_t baseline;  /**< weight that growth counts from: of the first sample or
	                       pm_tracker_rebase(); 0 for what came later */
	size_t baseline_regions; /**< number of regions then */
	int64_t delta;           /**< how the weight changed at the last sample */
	struct pm_series series; /**< weight over time; empty where it never changed */
	struct pm_series counts; /**< number of regions over time; empty where it never changed */
};

/** Follows regions; opaque. Not to be shared between threads. */
struct pm_tracker;

/**
 * Makes a tracker.
 * @param tracker where to store it; release with pm_tracker_destroy() @param error
 *   PM_ERROR_RESOURCES
 * @return 0 or -1
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
 * @param time     seconds; later than the last one
 * @param regions  with RSS and SWAP; copied; NULL: nothing changed since the last sample
 * @param error    PM_ERROR_RESOURCES; the tracker can then only be destroyed
 * @return         0 or -1
 */
PM_PUBLIC int pm_tracker_add(struct pm_tracker *tracker, double time,
                             const struct pm_regions *regions, struct pm_error *error);

/**
 * All tracks, in no particular order.
 *
 * @param tracker  the tracker
 * @param count    where to store how many
 * @return         the tracks; the array is valid until the next sample is added, each track as long
 * as the tracker
 */
PM_PUBLIC const struct pm_track *const *pm_tracker_tracks(const struct pm_tracker *tracker,
                                                          size_t *count);

/**
 * Track of a region of the last list that was added.
 *
 * @param tracker  the tracker
 * @param region   index of the region in that list
 * @return         its track
 */
PM_PUBLIC const struct pm_track *pm_tracker_owner(const struct pm_tracker *tracker, size_t region);

/**
 * Counts growth from now on.
 * @param tracker the tracker
 */
PM_PUBLIC void pm_tracker_rebase(struct pm_tracker *tracker);

/**
 * Judges what a track's weight does.
 *
 * @param tracker  the tracker
 * @param track    one of its tracks
 * @param trend    filled
 */
PM_PUBLIC void pm_track_judge(const struct pm_tracker *tracker, const struct pm_track *track,
                              struct pm_trend *trend);

/**
 * Judges what the number of a track's regions does.
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
