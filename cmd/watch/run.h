/* SPDX-License-Identifier: MIT */
/**
 * @file A run of `procmem watch`: where samples come from, where they are recorded, and how it
 * ends.
 */
#ifndef CMD_WATCH_RUN_H
#define CMD_WATCH_RUN_H

#include <procmem/kills.h>
#include <procmem/process_id.h>
#include <procmem/recorder.h>
#include <procmem/recording.h>
#include <procmem/sample.h>

#include "base/text.h"
#include "target/target.h"
#include "watch/around.h"
#include "watch/options.h"

struct peek;
struct watch_heap;
struct watch_replay;

/** A run. */
struct watch_run {
	const struct watch_options *options;
	const struct target *target;  /**< a living process, or a recording */
	struct pm_process_id process; /**< the process that is watched or was recorded; owned */
	struct pm_sampler *sampler;   /**< takes the samples; NULL if a recording is read */
	/** The recording that is read; NULL if a living process is watched. */
	struct watch_replay *replay;
	struct pm_recorder *recorder; /**< the recording that is written; NULL if none is written */
	/** Stores new pages and their strings; NULL if new pages are not stored. */
	struct peek *peek;
	struct watch_around *around; /**< the processes around it; NULL for a recording, and if
	                                several processes are watched */
	struct watch_heap *heap;     /**< walks over the heap; NULL without --heap */
	struct pm_kills *kills; /**< counts OOM kills in the cgroup of the process; NULL if they
	                           cannot be counted */
	uint64_t killed; /**< number of OOM kills that `kills` had counted before the last sample */
	/**
	 * Checks whether a condition holds. If so, all regions are measured before one of them is
	 * blamed. NULL if there are no conditions.
	 */
	bool (*will_act)(void *context);
	void *acting;          /**< passed to `will_act` */
	bool met;              /**< the action `exit` ended the run */
	struct text firings;   /**< lines of the summary, one for each condition that was met */
	uint64_t firing_count; /**< number of conditions that were met, including those that have no
	                          line in `firings` */
	const char *ended;     /**< why the run ended, as the summary shows it; NULL while the run
	                          continues */
	struct text ended_text;  /**< owns the text of `ended`, unless `ended` is a constant */
	struct pm_error failure; /**< an error of the target or of the recording */
};

/**
 * Opens the process or the recording.
 *
 * @param run      filled; release with watch_run_deinit(), also on failure
 * @param options  the options; must outlive the run
 * @param target   a living process, or a recording; must outlive the run
 * @param error    the reason of the failure
 * @return         0 or -1
 */
int watch_run_init(struct watch_run *run, const struct watch_options *options,
                   const struct target *target, struct pm_error *error);

/**
 * Takes the next sample.
 *
 * @param run     the run; a recording must have more samples
 * @param sample  filled; its regions are valid until the next sample
 * @param error   the reason of the failure; PM_ERROR_GONE: the process is gone
 * @return        0 or -1
 */
int watch_run_sample(struct watch_run *run, struct pm_sample *sample, struct pm_error *error);

/**
 * Opens the recording, if one is written, and starts to count OOM kills. Call it after the first
 * sample.
 * @param run the run
 * @param error why the recording cannot be written
 * @return 0 or -1
 */
int watch_run_start(struct watch_run *run, struct pm_error *error);

/**
 * Checks whether the process is gone or is about to end. A killed process is about to end: it still
 * exists until its exit is complete.
 * @param run the run, of a living process
 * @return true or false
 */
bool watch_run_is_ending(const struct watch_run *run);

/**
 * Sets the reason why the run ended, unless a reason has been set before.
 * @param run the run
 * @param why the reason, a constant
 */
void watch_run_end(struct watch_run *run, const char *why);

/**
 * Sets the reason why the run ended, with details, as "WHY: WHAT". It replaces a reason that was
 * set before.
 * @param run the run
 * @param why the reason
 * @param what the details
 */
void watch_run_end_with(struct watch_run *run, const char *why, const char *what);

/**
 * Sets the reason why the run ended: why the process is gone, or that it called exec. Adds the
 * reason to the recording that is written, if any.
 * @param run the run
 * @param limit the memory limit of its cgroup; NULL if there is none
 */
void watch_run_end_gone(struct watch_run *run, const struct pm_limit *limit);

/**
 * Releases a run.
 * @param run a run, or zeroed; zeroed afterwards
 */
void watch_run_deinit(struct watch_run *run);

#endif
