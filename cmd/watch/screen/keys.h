/* SPDX-License-Identifier: MIT */
/** @file FILL keys.c */
#ifndef CMD_WATCH_SCREEN_KEYS_H
#define CMD_WATCH_SCREEN_KEYS_H

#include "watch/screen/screen.h"

/**
 * Does what a key asks for.
 * @param screen the screen
 * @param key as of terminal_key()
 */
void screen_keys_handle(struct screen *screen, uint32_t key);

#endif
