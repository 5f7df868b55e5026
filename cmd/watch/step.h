/* SPDX-License-Identifier: MIT */
/** @file FILL step.c */
#ifndef CMD_WATCH_STEP_H
#define CMD_WATCH_STEP_H

#include "watch/watch.h"

/**
 * Releases it.
 * @param watch as filled, or zeroed
 */
void watch_deinit(struct watch *watch);

/**
 * Says why it ended.
 * @param watch the process
 * @param why the reason
 * @param what more of it, stands behind a colon
 */
void watch_end_with(struct watch *watch, const char *why, const char *what);

/**
 * Starts watching: takes the first sample.
 *
 * @param watch    filled; release with watch_deinit()
 * @param options  what the user wants
 * @param target   a living process, or a recording
 * @param error    what went wrong
 * @return         0 or -1
 */
int watch_init(struct watch *watch, const struct watch_options *options,
               const struct target *target, struct pm_error *error);

/**
 * Judges what was left unjudged, and sorts the rows.
 *
 * @param watch  the process; not `unjudged` any more
 * @param error  what went wrong
 * @return       0 or -1
 */
int watch_judge_now(struct watch *watch, struct pm_error *error);

/**
 * How long a limit lasts at the rate that was seen, for first_limit().
 *
 * @param watch    a struct watch
 * @param limit    the limit
 * @param seconds  where to store it
 * @return         false where it does not end
 */
bool watch_lasts(const void *watch, const struct pm_limit *limit, double *seconds);

/**
 * Counts growth from now on.
 * @param watch the process
 */
void watch_rebase(struct watch *watch);

/**
 * Takes the next sample, and sorts the rows.
 *
 * @param watch  the process; a recording has more samples
 * @return       true: go on; false: it ended, `ended` and `failure` say why
 */
bool watch_step(struct watch *watch);

#endif
