/* SPDX-License-Identifier: MIT */
/**
 * @file Lines of text that cover the rows of the live screen, to be scrolled through: help,
 * strings.
 */
#ifndef CMD_WATCH_SCREEN_PANE_H
#define CMD_WATCH_SCREEN_PANE_H

#include "view/terminal.h"

/** A pane; zeroed means closed. */
struct screen_pane {
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
void screen_pane_open(struct screen_pane *pane, const char *title);

/**
 * Closes it.
 * @param pane the pane
 */
void screen_pane_close(struct screen_pane *pane);

/**
 * Releases it.
 * @param pane the pane
 */
void screen_pane_deinit(struct screen_pane *pane);

/**
 * Does what a key asks for.
 * @param pane an open pane
 * @param key as of terminal_key()
 * @return false where the key means nothing here
 */
bool screen_pane_key(struct screen_pane *pane, uint32_t key);

/**
 * Draws it.
 * @param pane an open pane
 * @param terminal where
 * @param line first line
 * @param height how many lines
 */
void screen_pane_draw(struct screen_pane *pane, struct terminal *terminal, int line, int height);

#endif
