/* SPDX-License-Identifier: MIT */
/**
 * @file The history of a watched process: the last sample, sizes over time, trends and limits.
 */
#ifndef CMD_WATCH_HISTORY_H
#define CMD_WATCH_HISTORY_H

#include <procmem/headroom.h>
#include <procmem/owner_sums.h>
#include <procmem/sample.h>
#include <procmem/select.h>
#include <procmem/tracker.h>

#include "target/forecast.h"
#include "watch/reserve.h"
#include "watch/similar.h"

/** A number over time, and its trend. */
struct watch_series {
	struct pm_series series; /**< the values */
	struct pm_trend trend;   /**< valid after watch_history_judge() */
};

/** Sum of the chosen regions of one kind, or of the memory of one owner, in the last sample. */
struct watch_kind_sum {
	uint64_t weight; /**< resident and swapped bytes */
	size_t regions;  /**< number of regions */
};

/** A track that grows beneath a process whose total does not. */
struct watch_beneath {
	const struct pm_track *track; /**< the track; NULL if there is none */
	struct pm_trend trend;        /**< its trend; zeroed if there is no track */
};

/** The history of a process. A zeroed struct contains no sample. */
struct watch_history {
	/** Follows the regions; owned; NULL if this history is a copy. */
	struct pm_tracker *tracker;
	/** All tracks, valid until the next sample. The caller of watch_history_copy() sets this
	 * member of the copy. */
	const struct pm_track *const *tracks;
	size_t track_count; /**< number of tracks */
	/** Sums of tracks of files with similar names; owned; NULL if this history is a copy. */
	struct watch_similar *similar;
	/**
	 * In a copy: for each track, the number of different file names if the track is a copy of
	 * the sum of a group of `similar`, otherwise 0. The caller of watch_history_copy() sets
	 * this member. NULL if this history is not a copy.
	 */
	const size_t *files;
	bool kinds_known;                     /**< `kinds` have at least one point */
	struct pm_track kinds[PM_KIND_COUNT]; /**< the chosen regions of each kind, as one track */
	/** The memory of each owner, as one track. Their series have points only for samples with
	 * known sums. */
	struct pm_track owners[PM_OWNER_COUNT];
	bool owners_known;               /**< `owners` have at least one point */
	bool owners_fresh;               /**< the last sample has known sums by owner */
	struct pm_owner_sums owner_sums; /**< the last known sums */
	struct pm_sample sample;         /**< the last sample; a copy has no regions */
	struct pm_totals first;          /**< totals at the time from which growth is counted */
	struct pm_totals previous;       /**< totals of the sample before the last one */
	struct watch_series memory;      /**< resident and swapped bytes of the process */
	struct pm_series size;           /**< bytes of address space; empty in a copy */
	struct watch_series threads;     /**< number of threads */
	/** What grows although `memory` does not; valid after watch_history_find_beneath(). */
	struct watch_beneath beneath;
	/**
	 * The limits at the last sample. Limits on counts (mappings, threads, PIDs) and limits of
	 * runtimes can be those of an earlier sample; they are the last elements then.
	 */
	struct pm_headroom headroom;
	/** Number of elements of `headroom.limits`, from the first, that were read for the last
	 * sample. */
	size_t limits_read;
	/** What each limit counts, over time. Empty in a copy. */
	struct limit_counters counters;
	bool counted;      /**< `counters` have at least one sample */
	double counted_at; /**< time of their last sample */
	/** Forecasts of the elements of `headroom.limits`, at the same indices. */
	struct forecast forecasts[PM_LIMITS_MAX];
	struct watch_reserves reserves; /**< reserves into which the process grows */
	double began;                   /**< time of the first sample, in seconds */
	double based;                   /**< time from which growth is counted, in seconds */
	uint64_t samples;               /**< number of samples */
	double measured;    /**< time of the last sample whose regions were measured or known to be
	                       unchanged, in seconds */
	uint64_t held_back; /**< number of samples for which the budget did not allow the regions to
	                       be measured */
	uint64_t stopped;   /**< number of samples at which a signal or a debugger had stopped the
	                       process */
	bool recorded; /**< the samples were read from a recording, so their costs are not known */
	bool gone;     /**< the process is gone, so no time until a limit is computed */
};

/**
 * Adds a sample to the series of the process. Regions are added by watch_history_follow().
 *
 * @param history  the history
 * @param sample   the sample, copied; its regions must stay valid until the next sample
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int watch_history_add(struct watch_history *history, const struct pm_sample *sample,
                      struct pm_error *error);

/**
 * Adds the regions of the last sample to the tracks, unless --budget did not allow the regions to
 * be measured.
 *
 * @param history  the history
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int watch_history_follow(struct watch_history *history, struct pm_error *error);

/**
 * Adds the sums of the last sample by kind to the tracks in `kinds`. If the budget held this sample
 * back, the sums are left out.
 *
 * @param history  the history
 * @param sums     the sums; an array of PM_KIND_COUNT elements, indexed by kind
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int watch_history_add_kinds(struct watch_history *history, const struct watch_kind_sum *sums,
                            struct pm_error *error);

/**
 * Adds the sums of the last sample by owner to the tracks in `owners`.
 *
 * @param history  the history
 * @param sums     the sums over all regions of the process; NULL if they are not known for the
 *                 last sample
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int watch_history_add_owners(struct watch_history *history, const struct pm_owner_sums *sums,
                             struct pm_error *error);

/**
 * Computes the trends of the memory and of the threads of the process.
 * @param history the history
 */
void watch_history_judge(struct watch_history *history);

/**
 * Finds the track that grows fastest. There is none if the trend of the memory of the process is
 * growth itself, or if it is too early for a verdict. Computes forecast.beneath of all limits.
 * @param history the history, not a copy, after watch_history_judge()
 */
void watch_history_find_beneath(struct watch_history *history);

/**
 * Adds the usage of the limits to `counters`, unless the last sample was added already.
 * @param history   the history
 * @param headroom  the limits at the last sample
 */
void watch_history_count_limits(struct watch_history *history, const struct pm_headroom *headroom);

/**
 * Replaces the limits, adds their usage to `counters`, and forecasts when they are reached. The
 * usage of a limit can grow although the process does not: other processes share most limits.
 * @param history   the history
 * @param headroom  the limits at the last sample, copied. If it has no limits of runtimes, those of
 *                  the previous call are kept
 * @param counts    whether limits on counts were read; if not, the limits on counts of the previous
 *                  call are kept
 */
void watch_history_set_headroom(struct watch_history *history, const struct pm_headroom *headroom,
                                bool counts);

/**
 * Returns the time until a limit is reached.
 * @param history  the history
 * @param limit    the limit
 * @return         the time; not known if the process is gone, or if the history does not have the
 *                 limit
 */
struct forecast_time watch_history_time(const struct watch_history *history,
                                        const struct pm_limit *limit);

/**
 * Returns the limit that is reached first.
 * @param history  the history
 * @return         the limit, as by first_limit()
 */
const struct pm_limit *watch_history_first_limit(const struct watch_history *history);

/**
 * Returns the track to which a region of the last sample belongs: the sum of the group of its
 * track, if that group has a row.
 * @param history the history, not a copy
 * @param region index of the region
 * @return the track
 */
const struct pm_track *watch_history_owner(const struct watch_history *history, size_t region);

/**
 * Collects the regions of a track in the last sample.
 *
 * @param history  the history, not a copy
 * @param track    a track of the tracker, or the sum of a group
 * @param count    receives the number of regions
 * @return         the regions, by ascending address; to be freed by the caller
 */
struct pm_region_range *watch_history_regions(const struct watch_history *history,
                                              const struct pm_track *track, size_t *count);

/**
 * Resets growth: growth is then counted from the sample that is the last one now.
 * @param history the history, not a copy
 */
void watch_history_rebase(struct watch_history *history);

/**
 * Copies the displayed parts of a history. The copy has no tracks, no regions and no tracker. The
 * caller sets the track of `beneath`.
 * @param copy filled; release with watch_history_deinit()
 * @param history the history
 */
void watch_history_copy(struct watch_history *copy, const struct watch_history *history);

/**
 * Copies a track with its texts and series.
 * @param copy    filled, also on failure; release with watch_history_deinit_track()
 * @param track   the track
 * @param details list of regions that owns the copied detail; must outlive the copy
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int watch_history_copy_track(struct pm_track *copy, const struct pm_track *track,
                             struct pm_regions *details, struct pm_error *error);

/**
 * Releases a copied track.
 * @param copy from watch_history_copy_track()
 */
void watch_history_deinit_track(struct pm_track *copy);

/**
 * Releases a history.
 * @param history a history, a copy, or zeroed; zeroed afterwards
 */
void watch_history_deinit(struct watch_history *history);

#endif
