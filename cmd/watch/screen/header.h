/* SPDX-License-Identifier: MIT */
/** @file The first lines of the live screen, about the whole process. */
#ifndef CMD_WATCH_SCREEN_HEADER_H
#define CMD_WATCH_SCREEN_HEADER_H

#include "view/terminal.h"
#include "watch/screen/state.h"

/**
 * Draws the header.
 * @param state the state of the screen
 * @param terminal the terminal
 * @return number of lines used
 */
int screen_header_draw(const struct screen_state *state, struct terminal *terminal);

#endif
