/* SPDX-License-Identifier: MIT */
/** @file The findings of `why` in the live screen. */
#ifndef CMD_WATCH_SCREEN_FINDINGS_H
#define CMD_WATCH_SCREEN_FINDINGS_H

#include "watch/screen/state.h"

/**
 * Shows the findings so far in a pane. A paused screen shows them for the last sample, too.
 *
 * @param state    the state of the screen
 * @param columns  width of the terminal
 */
void screen_findings_show(struct screen_state *state, int columns);

#endif
