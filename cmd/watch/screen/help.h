/* SPDX-License-Identifier: MIT */
/** @file The help of the live screen. */
#ifndef CMD_WATCH_SCREEN_HELP_H
#define CMD_WATCH_SCREEN_HELP_H

/** What the keys do and the columns mean, in lines that fit a screen of 60 columns. */
extern const char screen_help[];

#endif
