/* SPDX-License-Identifier: MIT */
/**
 * @file The live screen of `procmem watch`: draws each sample, and performs the actions of keys.
 */
#ifndef CMD_WATCH_SCREEN_SCREEN_H
#define CMD_WATCH_SCREEN_SCREEN_H

#include "base/out.h"
#include "base/poll_loop.h"
#include "view/terminal.h"
#include "watch/screen/state.h"
#include "watch/step.h"

/** The live screen. */
struct screen {
	struct terminal terminal;
	struct screen_state state;
};

/**
 * Opens the terminal and draws the first sample.
 *
 * @param screen   filled; release with screen_close()
 * @param watch    the watch, with its first sample; must outlive the screen
 * @param wait     waits for the background task; must outlive the screen
 * @param colour   show styles
 * @param error    PM_ERROR_UNSUPPORTED; the text says what the terminal lacks
 * @return         0 or -1
 */
int screen_open(struct screen *screen, struct watch *watch, struct poll_loop *wait, bool colour,
                struct pm_error *error);

/**
 * Draws the first sample on a terminal that is open, for one process of several. The keys q and Esc
 * then go back: they set `state.left`.
 *
 * @param screen    filled; release with screen_leave()
 * @param terminal  the terminal; the screen owns it until screen_leave()
 * @param watch     the watch, with its first sample; must outlive the screen
 * @param wait      waits for the background task; must outlive the screen
 * @param error     PM_ERROR_RESOURCES
 * @return          0; -1 with nothing to release, and the caller still owns the terminal
 */
int screen_enter(struct screen *screen, const struct terminal *terminal, struct watch *watch,
                 struct poll_loop *wait, struct pm_error *error);

/**
 * Ends the screen of one process of several, and returns the terminal.
 *
 * @param screen    from screen_enter(); zeroed afterwards
 * @param terminal  receives the terminal
 * @param outcome   receives what became of the background task, if it had to be ended; escaped
 */
void screen_leave(struct screen *screen, struct terminal *terminal, struct text *outcome);

/**
 * Restores the terminal.
 * @param screen as filled, or zeroed; zeroed afterwards
 * @param out receives the lines of screen_event(); if it is NULL, the lines are discarded
 */
void screen_close(struct screen *screen, struct out *out);

/**
 * Draws a new sample, unless the screen is paused.
 * @param screen the screen
 */
void screen_update(struct screen *screen);

/**
 * Shows that there will be no more samples.
 * @param screen the screen
 * @param why the reason, one sentence
 */
void screen_end(struct screen *screen, const char *why);

/**
 * Performs the actions of the keys that were pressed, and shows the progress or the result of the
 * background task.
 * @param screen the screen
 */
void screen_handle_input(struct screen *screen);

/**
 * Shows an event in the last line, and adds it to the list of events.
 * @param screen the screen
 * @param line the event, without a newline; an indented line is only added to the list
 */
void screen_event(struct screen *screen, const char *line);

#endif
