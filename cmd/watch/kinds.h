/* SPDX-License-Identifier: MIT */
/** @file The regions of a watched process summed up by kind, over time. */
#ifndef CMD_WATCH_KINDS_H
#define CMD_WATCH_KINDS_H

#include "watch/watch.h"

/** The kinds, each like one thing that is followed. Zeroed to begin with. */
struct watch_kinds {
	struct pm_track tracks[PM_KIND_COUNT]; /**< by kind */
	struct watch_row rows[PM_KIND_COUNT];  /**< those that have or had regions, sorted; made by
	                                          watch_kinds_sort() */
	size_t count;                          /**< how many rows */
};

/**
 * Adds what is so now.
 * @param kinds the kinds
 * @param watch the process, after a look
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int watch_kinds_add(struct watch_kinds *kinds, const struct watch *watch, struct pm_error *error);

/**
 * Makes the rows.
 * @param kinds the kinds
 * @param watch the process: its options say what to sort by
 */
void watch_kinds_sort(struct watch_kinds *kinds, const struct watch *watch);

/**
 * Counts growth from now on.
 * @param kinds the kinds
 */
void watch_kinds_rebase(struct watch_kinds *kinds);

/**
 * Releases them.
 * @param kinds the kinds
 */
void watch_kinds_deinit(struct watch_kinds *kinds);

#endif
