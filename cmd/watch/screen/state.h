/* SPDX-License-Identifier: MIT */
/** @file The state of the live screen, and the changes that keys make to it. */
#ifndef CMD_WATCH_SCREEN_STATE_H
#define CMD_WATCH_SCREEN_STATE_H

#include "watch/screen/menu.h"
#include "watch/screen/pane.h"
#include "watch/screen/prompt.h"
#include "watch/screen/rows.h"
#include "watch/screen/snapshot.h"
#include "watch/screen/table.h"
#include "watch/screen/worker.h"
#include "watch/step.h"

/**
 * The state of the screen. At the start, all members except `watch` and `worker.wait` are zeroed.
 */
struct screen_state {
	struct watch *watch;
	struct screen_snapshot snapshot; /**< what is displayed while the screen is paused */
	struct screen_rows rows;
	struct screen_parts parts; /**< the regions of the expanded rows, in the last sample */
	struct screen_table_place place; /**< where the rows are drawn */
	struct screen_menu menu;         /**< the sort orders; covers the rows while it is open */
	struct screen_pane pane;         /**< covers the rows while it is open */
	struct screen_prompt prompt;     /**< a question in the last line */
	struct screen_worker worker;     /**< the background task */
	/**
	 * Message in the last line until the next key is pressed, escaped. While it is empty, the
	 * last line lists keys.
	 */
	struct text message;
	struct text events; /**< conditions that were met, escaped; each line ended by a newline */
	struct text searched; /**< regular expression of the last search */
	bool over;            /**< there are no more samples: the process is gone */
	bool left;            /**< the user quit, or went back */
	bool nested;          /**< the keys q and Esc go back to the screen of several processes */
};

/**
 * Returns the history that is displayed.
 * @param state the state
 * @return the history of the watch or, if the screen is paused, of the snapshot
 */
const struct watch_history *screen_state_history(const struct screen_state *state);

/**
 * Sets the message.
 * @param state the state
 * @param format printf format of one line
 */
void screen_state_message(struct screen_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Updates the rows after a sample or a change of the view.
 * @param state the state
 */
void screen_state_update(struct screen_state *state);

/**
 * Sets the watch, and which rows are shown at first.
 * @param state the state, zeroed
 * @param watch the watch; must outlive the state
 */
void screen_state_begin(struct screen_state *state, struct watch *watch);

/**
 * Changes to the next sort order.
 * @param state the state
 */
void screen_state_sort(struct screen_state *state);

/**
 * Changes to a sort order.
 * @param state the state
 * @param sort the order
 */
void screen_state_sort_by(struct screen_state *state, enum watch_sort sort);

/**
 * Opens the list of sort orders.
 * @param state the state
 */
void screen_state_pick_sort(struct screen_state *state);

/**
 * Shows the single regions of the selected row below it, or hides them.
 * @param state the state
 * @param action SCREEN_EXPAND, SCREEN_COLLAPSE or SCREEN_TOGGLE
 */
void screen_state_expand(struct screen_state *state, enum screen_action action);

/**
 * Switches between a row for each kind and a row for each track.
 * @param state the state
 */
void screen_state_group(struct screen_state *state);

/**
 * Pauses or resumes the screen. The selected track stays selected.
 * @param state the state
 */
void screen_state_pause(struct screen_state *state);

/**
 * Resets growth: growth is then counted from the sample that is the last one now. A paused screen
 * gets a new snapshot.
 * @param state the state
 */
void screen_state_rebase(struct screen_state *state);

/**
 * Filters the rows.
 * @param state the state
 * @param pattern a regular expression; "" for all rows
 */
void screen_state_filter(struct screen_state *state, const char *pattern);

/**
 * Selects the next row that matches.
 * @param state the state
 * @param pattern a regular expression; "" does nothing
 */
void screen_state_search(struct screen_state *state, const char *pattern);

/**
 * Finds the selected row, for an action that reads its memory. If its memory cannot be read, sets a
 * message that says why.
 * @param state the state
 * @param row filled; its track, or the track of which it is a part, is the original, not the copy
 *            in a snapshot
 * @return false if no row is selected or its memory cannot be read; then a message was set
 */
bool screen_state_selected(struct screen_state *state, struct watch_row *row);

/**
 * Releases the state, except for `watch` and `worker`.
 * @param state the state
 */
void screen_state_deinit(struct screen_state *state);

/**
 * Shows the conditions that were met in a pane.
 * @param state  the state of the screen
 */
void screen_state_show_events(struct screen_state *state);

#endif
