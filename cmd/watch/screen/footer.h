/* SPDX-License-Identifier: MIT */
/** @file The last line of the live screen: keys, which can be clicked, messages and questions. */
#ifndef CMD_WATCH_SCREEN_FOOTER_H
#define CMD_WATCH_SCREEN_FOOTER_H

#include "view/terminal.h"
#include "watch/screen/state.h"

/**
 * Draws a question, a message, the progress of the background task, or the keys.
 *
 * @param state     the state of the screen
 * @param terminal  the terminal
 * @return          column of the cursor; -1 if there is no cursor
 */
int screen_footer_draw(const struct screen_state *state, struct terminal *terminal);

/**
 * Finds the key at a column of the last line, if it lists keys.
 *
 * @param state   the state of the screen
 * @param column  the column, from 0
 * @return        the key, as from terminal_key(); TERMINAL_NO_KEY if there is none
 */
uint32_t screen_footer_key(const struct screen_state *state, int column);

/**
 * Finds the key at a column of a line such as "?:help Enter:text".
 *
 * @param keys    the line
 * @param column  the column, from 0
 * @return        the key, as from terminal_key(); TERMINAL_NO_KEY if there is none
 */
uint32_t screen_footer_key_of(const struct text *keys, int column);

#endif
