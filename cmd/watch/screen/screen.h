/* SPDX-License-Identifier: MIT */
/** @file The live screen of `procmem watch`: a picture of each look, and keys. */
#ifndef CMD_WATCH_SCREEN_SCREEN_H
#define CMD_WATCH_SCREEN_SCREEN_H

#include "view/terminal.h"
#include "watch/screen/pane.h"
#include "watch/screen/prompt.h"
#include "watch/screen/rows.h"
#include "watch/screen/snapshot.h"
#include "watch/screen/worker.h"
#include "watch/watch.h"

/** The live screen. */
struct screen {
	struct terminal terminal;
	struct watch *watch;
	struct watch_options *options; /**< of the process: the user changes what to sort by */
	struct screen_snapshot still;  /**< while the picture is paused: what it shows */
	struct screen_rows rows;
	struct screen_pane pane;     /**< what covers the rows, if anything does */
	struct screen_prompt prompt; /**< what is asked for in the last line, if anything is */
	struct poll_loop *wait;      /**< what is waited for */
	struct screen_worker work;   /**< what goes on beside, if anything does */
	struct text message;  /**< what the last line tells until the next key; empty: which keys
	                         there are */
	struct text events;   /**< lines about conditions that were met, escaped, each ended by a
	                         newline */
	struct text searched; /**< what was searched for last */
	uint64_t top;         /**< how many rows the summary is to have */
	bool over;            /**< there is nothing more to look at: the process is gone */
	bool left;            /**< the user has seen enough */
};

/**
 * Takes the terminal into use, and shows the first look.
 *
 * @param screen   filled; release with screen_close()
 * @param watch    the process, with its first look taken
 * @param options  of it
 * @param wait     gets what the screen waits for besides keys
 * @param colour   show styles
 * @param error    PM_ERROR_UNSUPPORTED with what the terminal cannot do
 * @return         0 or -1
 */
int screen_open(struct screen *screen, struct watch *watch, struct watch_options *options,
                struct poll_loop *wait, bool colour, struct pm_error *error);

/**
 * Gives the terminal back.
 * @param screen as filled, or zeroed
 * @param out gets what screen_event() was told; NULL: nobody does
 */
void screen_close(struct screen *screen, struct out *out);

/**
 * What the picture is of.
 * @param screen the screen
 * @return the process as it is, or as it was when the picture was paused
 */
static inline const struct watch *screen_shown(const struct screen *screen)
{
	return screen->still.taken ? &screen->still.watch : screen->watch;
}

/**
 * Makes the rows of the picture anew, of what was seen so far.
 * @param screen the screen
 */
void screen_update_rows(struct screen *screen);

/**
 * Shows a look, unless the picture is paused.
 *
 * @param screen  the screen
 */
void screen_update(struct screen *screen);

/**
 * Says in the last line that nothing more will come, and why.
 * @param screen the screen
 * @param why a sentence
 */
void screen_end(struct screen *screen, const char *why);

/**
 * Does what the keys ask for that were pressed since.
 * @param screen the screen
 */
void screen_handle_input(struct screen *screen);

/**
 * Tells of an event: in the last line, and in a list that stays.
 * @param screen the screen @param line without its end
 */
void screen_event(struct screen *screen, const char *line);

/**
 * Tells something in the last line.
 * @param screen the screen
 * @param format printf format of a sentence
 */
void screen_message(struct screen *screen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Shows everything as it is now.
 * @param screen the screen
 */
void screen_draw(struct screen *screen);

#endif
