/* SPDX-License-Identifier: MIT */
/** @file The mouse on the live screen. */
#ifndef CMD_WATCH_SCREEN_MOUSE_H
#define CMD_WATCH_SCREEN_MOUSE_H

#include "view/terminal.h"
#include "watch/screen/state.h"

/**
 * Performs a click: selects a row, expands a row whose address is clicked, or sorts by a column
 * whose title is clicked.
 *
 * @param state  the state of the screen, without an open menu
 * @param mouse  the position of the click
 * @param lines  number of lines of the terminal
 * @return       the key in the last line that was clicked, as from terminal_key(); TERMINAL_NO_KEY
 *               if there is nothing more to do
 */
uint32_t screen_mouse_click(struct screen_state *state, struct terminal_point mouse, int lines);

/**
 * Lets the screen use the mouse if the terminal used it, and the other way round.
 * @param terminal  the terminal
 * @return          what was done, a constant
 */
const char *screen_mouse_toggle(struct terminal *terminal);

#endif
