/* SPDX-License-Identifier: MIT */
/** @file The keys of the live screen, and their help. */
#ifndef CMD_WATCH_SCREEN_KEYS_H
#define CMD_WATCH_SCREEN_KEYS_H

#include <stdint.h>

/** The action of a key. */
enum screen_action {
	SCREEN_UNKNOWN,      /**< the key has no meaning */
	SCREEN_UP,           /**< select the row above */
	SCREEN_DOWN,         /**< select the row below */
	SCREEN_PAGE_UP,      /**< move the selection up by a page */
	SCREEN_PAGE_DOWN,    /**< move the selection down by a page */
	SCREEN_FIRST,        /**< select the first row */
	SCREEN_LAST,         /**< select the last row */
	SCREEN_WHEEL_UP,     /**< scroll up by some rows */
	SCREEN_WHEEL_DOWN,   /**< scroll down by some rows */
	SCREEN_CLICK,        /**< do what is at the position of the mouse */
	SCREEN_MOUSE,        /**< use the mouse, or leave it to the terminal */
	SCREEN_EXPAND,       /**< show the single regions of a row */
	SCREEN_COLLAPSE,     /**< show one row for them */
	SCREEN_TOGGLE,       /**< expand or collapse */
	SCREEN_SORT,         /**< sort by the next order */
	SCREEN_PICK_SORT,    /**< choose the order from a list */
	SCREEN_GROUP,        /**< switch between regions and sums by kind */
	SCREEN_FILTER,       /**< ask for the filter of rows */
	SCREEN_SEARCH,       /**< ask for a text to search for */
	SCREEN_SEARCH_AGAIN, /**< repeat the last search */
	SCREEN_PAUSE,        /**< pause or resume the screen */
	SCREEN_REBASE,       /**< reset growth: count it from now on */
	SCREEN_STRINGS,      /**< show the text in the newest pages */
	SCREEN_SAVE,         /**< write the bytes of the row to a file */
	SCREEN_TRACE,        /**< show which code maps the memory of the row */
	SCREEN_WHY,          /**< show the findings so far */
	SCREEN_EVENTS,       /**< list the conditions that were met */
	SCREEN_HELP,         /**< show the help */
	SCREEN_CANCEL,       /**< cancel the background task */
	SCREEN_QUIT,         /**< end with a summary */
};

/** Help for the keys and the columns. Its lines fit a screen of 60 columns. */
extern const char screen_keys_help[];

/** The help for the screen of several processes. */
extern const char screen_keys_help_family[];

/**
 * Finds the action of a key.
 * @param key the key, as from terminal_key()
 * @return the action
 */
enum screen_action screen_keys_action(uint32_t key);

#endif
