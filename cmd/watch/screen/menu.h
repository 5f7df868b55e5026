/* SPDX-License-Identifier: MIT */
/** @file A list of choices that covers the rows of the live screen, such as the sort orders. */
#ifndef CMD_WATCH_SCREEN_MENU_H
#define CMD_WATCH_SCREEN_MENU_H

#include "view/terminal.h"

/** A menu. A zeroed struct is a closed menu. */
struct screen_menu {
	bool open;                 /**< the menu is displayed */
	const char *title;         /**< title, a constant */
	const char *const *labels; /**< the choices, constants; printable ASCII */
	size_t count;              /**< number of choices, at least 1 */
	size_t index;              /**< index of the selected choice */
	size_t top;                /**< index of the first visible choice */
	int line;                  /**< line of the first visible choice when last drawn */
	size_t height;             /**< number of visible choices when last drawn */
};

/** The effect of a key on a menu. */
enum screen_menu_effect {
	SCREEN_MENU_STAYS,  /**< the menu stays open */
	SCREEN_MENU_CHOSEN, /**< `index` was chosen; the menu is closed */
	SCREEN_MENU_CLOSED, /**< the menu is closed without a choice */
};

/**
 * Opens a menu.
 *
 * @param menu    the menu
 * @param title   the title, a constant
 * @param labels  the choices, constants
 * @param count   number of choices, at least 1
 * @param index   index of the choice that is selected first
 */
void screen_menu_open(struct screen_menu *menu, const char *title, const char *const *labels,
                      size_t count, size_t index);

/**
 * Processes a key, or an event of the mouse: a click chooses, a click beside the choices closes.
 *
 * @param menu   an open menu
 * @param key    the key, as from terminal_key()
 * @param mouse  position of the mouse, for TERMINAL_CLICK
 * @return       the effect
 */
enum screen_menu_effect screen_menu_key(struct screen_menu *menu, uint32_t key,
                                        struct terminal_point mouse);

/**
 * Draws the menu.
 *
 * @param menu      an open menu
 * @param terminal  the terminal
 * @param line      the first line
 * @param height    number of lines
 */
void screen_menu_draw(struct screen_menu *menu, struct terminal *terminal, int line, int height);

#endif
