/* SPDX-License-Identifier: MIT */
/**
 * @file Lines of text that cover the rows of the live screen, to be scrolled through: help,
 * strings.
 */
#ifndef CMD_WATCH_SCREEN_PANE_H
#define CMD_WATCH_SCREEN_PANE_H

#include "view/terminal.h"

/** A pane; zeroed means closed. */
struct watch_pane {
	bool open;         /**< it is shown */
	struct text title; /**< what it shows */
	struct text text;  /**< its lines, escaped, each ended by a newline */
	size_t top;        /**< number of the first line in sight */
	size_t height;     /**< how many were in sight when it was drawn last */
};

/**
 * Opens it with nothing in it.
 * @param pane the pane
 * @param title what it will show, escaped
 */
void watch_pane_open(struct watch_pane *pane, const char *title);

/**
 * Closes it.
 * @param pane the pane
 */
void watch_pane_close(struct watch_pane *pane);

/**
 * Releases it.
 * @param pane the pane
 */
void watch_pane_deinit(struct watch_pane *pane);

/**
 * Does what a key asks for.
 * @param pane an open pane
 * @param key as of terminal_key()
 * @return false where the key means nothing here
 */
bool watch_pane_key(struct watch_pane *pane, uint32_t key);

/**
 * Draws it.
 * @param pane an open pane
 * @param terminal where
 * @param line first line
 * @param height how many lines
 */
void watch_pane_draw(struct watch_pane *pane, struct terminal *terminal, int line, int height);

#endif
