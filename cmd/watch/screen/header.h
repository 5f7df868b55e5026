/* SPDX-License-Identifier: MIT */
/** @file FILL header.c */
#ifndef CMD_WATCH_SCREEN_HEADER_H
#define CMD_WATCH_SCREEN_HEADER_H

#include "watch/screen/screen.h"

/**
 * Draws what is told of the whole process.
 * @param screen the screen
 * @return lines used
 */
int screen_header(struct screen *screen);

#endif
