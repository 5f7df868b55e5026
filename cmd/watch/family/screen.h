/* SPDX-License-Identifier: MIT */
/**
 * @file The live screen of a family: a row for each process. Enter opens a row: the screen of this
 * process, with its regions, replaces the rows until the user goes back.
 */
#ifndef CMD_WATCH_FAMILY_SCREEN_H
#define CMD_WATCH_FAMILY_SCREEN_H

#include "base/poll_loop.h"
#include "view/terminal.h"
#include "watch/family/run.h"
#include "watch/screen/menu.h"
#include "watch/screen/pane.h"
#include "watch/screen/screen.h"

/** The process whose regions are shown; opaque. */
struct family_expanded;

/** The live screen. */
struct family_screen {
	struct family_run *run;
	struct poll_loop *wait;
	size_t keys; /**< index of the terminal in `wait->descriptors` */
	struct terminal terminal;
	struct screen_pane pane;          /**< the help */
	struct screen_menu menu;          /**< the sort orders */
	int first_row;                    /**< line of the first visible row */
	int row_lines;                    /**< number of lines for rows; 0: none are displayed */
	struct family_expanded *expanded; /**< the process whose regions are shown, or NULL */
	enum watch_sort sort;
	uint64_t selected;   /**< family_member.id of the selected row; 0: the first row */
	size_t index;        /**< index of the selected row */
	size_t top;          /**< index of the first visible row */
	struct text message; /**< message in the last line until the next key, escaped */
	bool over;           /**< all processes have ended */
	bool left;           /**< the user quit */
};

/**
 * Opens the terminal and draws the first sample.
 *
 * @param screen  filled; release with family_screen_close()
 * @param run     the run, with its first sample; must outlive the screen
 * @param wait    waits for keys; must outlive the screen
 * @param colour  show styles
 * @param error   PM_ERROR_UNSUPPORTED; the text says what the terminal lacks
 * @return        0 or -1
 */
int family_screen_open(struct family_screen *screen, struct family_run *run, struct poll_loop *wait,
                       bool colour, struct pm_error *error);

/**
 * Draws a new sample, and takes a sample of the process whose regions are shown.
 * @param screen  the screen
 */
void family_screen_update(struct family_screen *screen);

/**
 * Performs the actions of the keys that were pressed.
 * @param screen  the screen
 */
void family_screen_handle_input(struct family_screen *screen);

/**
 * Shows that there will be no more samples.
 * @param screen  the screen
 * @param why     the reason
 */
void family_screen_end(struct family_screen *screen, const char *why);

/**
 * Checks whether the user quit, or the terminal was closed.
 * @param screen  the screen
 * @return        true or false
 */
bool family_screen_left(const struct family_screen *screen);

/**
 * Restores the terminal.
 * @param screen  the screen
 */
void family_screen_close(struct family_screen *screen);

#endif
