/* SPDX-License-Identifier: MIT */
/** @file The steps of `procmem watch`: each takes a sample and updates the displayed rows. */
#ifndef CMD_WATCH_STEP_H
#define CMD_WATCH_STEP_H

#include "watch/history.h"
#include "watch/owners.h"
#include "watch/run.h"
#include "watch/view.h"

/** A process that is being watched. */
struct watch {
	struct watch_run run;         /**< the source of samples, the recording, and the end */
	struct watch_history history; /**< the samples so far, as series and trends */
	struct watch_view view;       /**< what is displayed */
	struct watch_owners owners;   /**< measures the memory of each owner */
	double counts_due; /**< time when the limits on counts are read again, as pm_sample.time */
};

/**
 * Starts to watch: takes the first sample.
 *
 * @param watch    filled; release with watch_step_deinit()
 * @param options  the options; must outlive the watch
 * @param target   a living process, or a recording; must outlive the watch
 * @param error    the reason of the failure
 * @return         0; -1 with nothing to release
 */
int watch_step_init(struct watch *watch, const struct watch_options *options,
                    const struct target *target, struct pm_error *error);

/**
 * Takes the next sample, and updates the rows.
 *
 * @param watch  the watch; a recording must have more samples
 * @return       true if the run continues; otherwise `ended` and `failure` of the run contain the
 *               reason why the run ended
 */
bool watch_step_next(struct watch *watch);

/**
 * Computes the verdicts that were not computed because watch_view.unjudged was set, and sorts the
 * rows.
 *
 * @param watch  the watch; `unjudged` is reset
 * @param error  the reason of the failure
 * @return       0 or -1
 */
int watch_step_judge(struct watch *watch, struct pm_error *error);

/**
 * Resets growth: growth is then counted from the sample that is the last one now.
 * @param watch the watch
 */
void watch_step_rebase(struct watch *watch);

/**
 * Releases a watch.
 * @param watch a watch, or zeroed; zeroed afterwards
 */
void watch_step_deinit(struct watch *watch);

#endif
