/* SPDX-License-Identifier: MIT */
/** @file The pane of the live screen that shows what text is in the newest pages of a region. */
#ifndef CMD_WATCH_STRINGS_H
#define CMD_WATCH_STRINGS_H

#include "watch_screen.h"

/** Reads the newest pages of a row, and opens the pane. @param screen the screen @param row one of its rows */
void watch_strings_show(struct watch_screen *screen, const struct watch_row *row);

#endif
