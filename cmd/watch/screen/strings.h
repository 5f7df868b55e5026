/* SPDX-License-Identifier: MIT */
/**
 * @file The text in the newest pages of a row: read beside the live screen, and shown in a pane.
 */
#ifndef CMD_WATCH_SCREEN_STRINGS_H
#define CMD_WATCH_SCREEN_STRINGS_H

#include "watch/screen/pane.h"
#include "watch/screen/task.h"

/** What is to be read. */
struct screen_strings {
	const struct watch *watch;   /**< the process */
	const struct watch_row *row; /**< whose pages */
};

/**
 * Reads it.
 *
 * @see            screen_task_work
 * @param context  a struct screen_strings
 * @param answer   gets the title and the lines of the pane, each ended by a newline
 */
int screen_strings_read(void *context, struct screen_task_line *line,
                        const volatile sig_atomic_t *cancel, struct text *answer,
                        struct pm_error *error);

/**
 * Shows it.
 * @param pane the pane
 * @param answer as made by screen_strings_read()
 */
void screen_strings_show(struct screen_pane *pane, const struct text *answer);

#endif
