/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Follows each region over many samples, even if the kernel merges, splits or moves it. The history
 * of a region is called a track.
 *
 * pm_growth_compare() matches the regions of each sample with those of the sample before. Matching
 * regions of the same kind are in the same track. A track never contains regions of different kinds
 * at the same time.
 *
 * A new region joins the track of similar regions if there is one. If a process creates a thousand
 * threads, their stacks are one growing track, not a thousand tracks. Tracks that began in the
 * first sample are not joined in this way, except tracks of blocks that malloc mapped individually.
 * Two regions are similar if they have:
 * - the same kind and the same permissions
 * - names that differ only in digits; for stacks, this also applies to the names of the threads
 * - lengths that round down to the same power of four. If a region consists of blocks that malloc
 *   mapped individually, the size of its largest block is used instead of its length
 *
 * A track is kept even if all its regions were unmapped. While there are thousands of tracks
 * without regions, names are not compared, so that the number of tracks stays limited.
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
 * One track. The weight of a region is the number of its resident and swapped bytes.
 *
 * If a track has several regions, one of them represents the track: at first, the region with the
 * largest weight. Another region becomes the representative if its weight grew, since the previous
 * sample, more than twice as much as that of the representative. If the representative was
 * unmapped, the region whose weight grew most becomes the representative.
 */
struct pm_track {
	/**
	 * First address of the representative region. If the track has no regions any more, the
	 * first address of its last representative region.
	 */
	uint64_t start;
	uint64_t end; /**< address after the last byte of the representative region */
	uint64_t own; /**< resident and swapped bytes of the representative region alone */
	size_t index; /**< index of the track in the array of pm_tracker_tracks() */
	/**
	 * Kind of all regions of the track. If the track has no regions any more, the kind of its
	 * last regions.
	 */
	enum pm_kind kind;
	unsigned perms; /**< permissions of the representative region: enum pm_perm bits */
	/**
	 * TID of the thread whose stack the representative region is; 0 if the region is not the
	 * stack of a known thread
	 */
	pid_t thread;
	/**
	 * Name of the representative region; "" if it has no name, or if the track has no regions
	 * any more. Valid until the next sample is added.
	 */
	const char *mapping;
	struct pm_detail
		/** Detail of the representative region. Valid as long as `mapping`. */
		detail;
	enum pm_owner owner; /**< main owner of the representative region */
	size_t regions;      /**< number of regions now; 0 if all of them were unmapped */
	size_t max_regions;  /**< largest number of regions so far */
	/**
	 * Smallest pm_region_chunk_max() of the regions of the track, in bytes; 0 if one of the
	 * regions has no known chunk
	 */
	uint64_t block_min;
	/** Largest pm_region_chunk_max() of the regions of the track, in bytes */
	uint64_t block_max;
	bool born;       /**< true if the track was not in the first sample */
	double since;    /**< time of the first sample in which the track has regions, in seconds */
	uint64_t weight; /**< resident and swapped bytes of all regions now */
	uint64_t size;   /**< sum of the lengths of all regions now, in bytes */
	/**
	 * Weight from which growth is counted, in bytes: the weight at the last call of
	 * pm_tracker_rebase() or, if it was never called, in the first sample. 0 if the track did
	 * not exist at that time.
	 */
	uint64_t baseline;
	size_t baseline_regions; /**< number of regions at the time of `baseline` */
	/** `size` at the time of `baseline`, in bytes. 0 if the track did not exist yet. */
	uint64_t baseline_size;
	int64_t delta;           /**< change of the weight between the last two samples, in bytes */
	struct pm_series series; /**< weight over time; empty if the weight never changed */
	/** Number of regions over time; empty if the number never changed */
	struct pm_series counts;
};

/** Follows regions; opaque. Only one thread at a time may use it. */
struct pm_tracker;

/**
 * Creates a tracker.
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
 * @param time     time of the sample in seconds; later than that of the last sample
 * @param regions  the regions, including their RSS and swap; they are copied. NULL if nothing has
 *                 changed since the last sample
 * @param error    PM_ERROR_RESOURCES; afterwards the tracker can only be destroyed
 * @return         0 or -1
 */
PM_PUBLIC int pm_tracker_add(struct pm_tracker *tracker, double time,
                             const struct pm_regions *regions, struct pm_error *error);

/**
 * Sets pm_track.delta of all tracks to 0; everything else is unchanged. Call this instead of
 * pm_tracker_add() if the measurement of the regions was postponed (pm_sample.held_back).
 * @param tracker the tracker
 */
PM_PUBLIC void pm_tracker_skip(struct pm_tracker *tracker);

/**
 * Returns all tracks, in no particular order.
 *
 * @param tracker  the tracker
 * @param count    receives the number of tracks
 * @return         the tracks. The array is valid until the next sample is added, the tracks until
 *                 the tracker is destroyed
 */
PM_PUBLIC const struct pm_track *const *pm_tracker_tracks(const struct pm_tracker *tracker,
                                                          size_t *count);

/**
 * Returns the track of a region of the last sample.
 *
 * @param tracker  the tracker
 * @param region   index of the region in the last `regions` that were passed to pm_tracker_add()
 * @return         the track of the region
 */
PM_PUBLIC const struct pm_track *pm_tracker_owner(const struct pm_tracker *tracker, size_t region);

/**
 * Sets the baselines of all tracks to the present weights and numbers of regions. From then on,
 * growth is counted from these values.
 * @param tracker the tracker
 */
PM_PUBLIC void pm_tracker_rebase(struct pm_tracker *tracker);

/**
 * Determines how the weight of a track develops over time (pm_trend_judge()).
 *
 * @param tracker  the tracker
 * @param track    a track of this tracker
 * @param trend    receives the trend
 */
PM_PUBLIC void pm_track_judge(const struct pm_tracker *tracker, const struct pm_track *track,
                              struct pm_trend *trend);

/**
 * Determines how the number of regions of a track develops over time (pm_trend_judge()).
 *
 * @param tracker  the tracker
 * @param track    a track of this tracker
 * @param trend    receives the trend
 */
PM_PUBLIC void pm_track_judge_count(const struct pm_tracker *tracker, const struct pm_track *track,
                                    struct pm_trend *trend);

/**
 * Finds the track that grows fastest, even if the total of the process does not grow.
 *
 * Judging takes time, so at most 16 tracks are judged:
 * - the 8 tracks that grew most since they were first seen
 * - the 8 tracks with the largest lasting rise. The second half of the observed time is compared
 *   with the first half: the lowest value of the track is higher by one amount, and the highest
 *   value by another amount. The smaller amount is the lasting rise.
 *
 * @param tracker  the tracker
 * @param trend    receives the trend of the weight of the track; unchanged if there is no track
 * @return         the track whose verdict is PM_VERDICT_STEADY with the highest rate. If there is
 *                 none, the track whose verdict is PM_VERDICT_STEPS with the highest estimated
 *                 rate. NULL if there is neither. Valid until the tracker is destroyed
 */
PM_PUBLIC const struct pm_track *pm_tracker_find_growing(const struct pm_tracker *tracker,
                                                         struct pm_trend *trend);

#ifdef __cplusplus
}
#endif

#endif
