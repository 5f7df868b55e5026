/* SPDX-License-Identifier: MIT */
/**
 * @file The text in the newest pages of a row: read beside the live screen, and shown in a pane.
 */
#ifndef CMD_WATCH_SCREEN_STRINGS_H
#define CMD_WATCH_SCREEN_STRINGS_H

#include "watch/screen/pane.h"
#include "watch/screen/task.h"

/** What is to be read. */
struct watch_strings {
	const struct watch *watch;   /**< the process */
	const struct watch_row *row; /**< whose pages */
};

/**
 * Reads it.
 *
 * @see            watch_task_work
 * @param context  a struct watch_strings
 * @param answer   gets the title and the lines of the pane, each ended by a newline
 */
int watch_strings_read(void *context, struct watch_task_line *line,
                       const volatile sig_atomic_t *cancel, struct text *answer,
                       struct pm_error *error);

/**
 * Shows it.
 * @param pane the pane
 * @param answer as made by watch_strings_read()
 */
void watch_strings_show(struct watch_pane *pane, const struct text *answer);

#endif
