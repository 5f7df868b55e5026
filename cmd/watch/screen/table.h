/* SPDX-License-Identifier: MIT */
/** @file FILL table.c */
#ifndef CMD_WATCH_SCREEN_TABLE_H
#define CMD_WATCH_SCREEN_TABLE_H

#include "watch/screen/screen.h"

/**
 * Draws the rows.
 * @param screen the screen
 * @param line first line
 * @param height how many there are
 */
void screen_table(struct screen *screen, int line, int height);

#endif
