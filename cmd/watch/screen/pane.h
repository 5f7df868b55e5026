/* SPDX-License-Identifier: MIT */
/** @file A scrollable text that covers the rows of the live screen, such as the help. */
#ifndef CMD_WATCH_SCREEN_PANE_H
#define CMD_WATCH_SCREEN_PANE_H

#include "view/terminal.h"
#include "watch/screen/keys.h"

/** Number of lines by which a step of the wheel of the mouse scrolls. */
enum { SCREEN_PANE_WHEEL_STEP = 3 };

/** A pane. A zeroed struct is a closed pane. */
struct screen_pane {
	bool open; /**< the pane is displayed */
	/** The action that opened the pane, which also closes it; SCREEN_UNKNOWN if there is none.
	 */
	enum screen_action opener;
	struct text title; /**< title, displayed above the text; escaped */
	struct text text;  /**< lines of the text, escaped, each ended by a newline */
	size_t top;        /**< index of the first visible line */
	size_t height;     /**< number of visible lines when the pane was last drawn */
};

/**
 * Opens a pane.
 * @param pane the pane
 * @param opener the action that opens the pane, and whose keys close it
 * @param title the title, escaped; copied
 * @param lines the lines, escaped, each ended by a newline; copied
 * @param length number of bytes of the lines
 */
void screen_pane_open(struct screen_pane *pane, enum screen_action opener, const char *title,
                      const char *lines, size_t length);

/**
 * Releases a pane.
 * @param pane the pane
 */
void screen_pane_deinit(struct screen_pane *pane);

/**
 * Scrolls or closes the pane. Esc, q and the key that opened the pane close it.
 * @param pane an open pane
 * @param key the key, as from terminal_key()
 * @return false if the key has no meaning in a pane
 */
bool screen_pane_key(struct screen_pane *pane, uint32_t key);

/**
 * Draws the pane.
 * @param pane an open pane
 * @param terminal the terminal
 * @param line the first line
 * @param height number of lines
 */
void screen_pane_draw(struct screen_pane *pane, struct terminal *terminal, int line, int height);

#endif
