/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A terminal used as a whole: text at any place, keys one by one, and its state given back however
 * the program ends. All there is of ncurses.
 */
#ifndef CMD_VIEW_TERMINAL_H
#define CMD_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/out.h"

/** A terminal in use. There is one at a time: ncurses keeps its state for itself. */
struct terminal {
	void *screen; /**< private: of ncurses */
	void *input;  /**< private: the stream of the keys, where it is not standard input */
	int keys;     /**< descriptor that becomes readable when a key is pressed */
	int rows;     /**< its lines */
	int columns;  /**< its columns */
	bool utf8;    /**< it shows more than ASCII */
	bool colour;  /**< styles are shown */
};

/** What a key means: a character (its code point), or one of these. */
enum terminal_key {
	TERMINAL_NO_KEY = 0,
	TERMINAL_ENTER = '\n',
	TERMINAL_ESCAPE = 27,
	TERMINAL_UP = 0x110000, /* behind all characters */
	TERMINAL_DOWN,
	TERMINAL_PAGE_UP,
	TERMINAL_PAGE_DOWN,
	TERMINAL_HOME,
	TERMINAL_END,
	TERMINAL_BACKSPACE,
	TERMINAL_REDRAW, /**< no key: the size changed, or the program was stopped and goes on */
	TERMINAL_OTHER,  /**< a key without a meaning here */
};

/**
 * Takes the terminal on standard output into use. Keys come from standard input, or from the
 * controlling terminal where that is none.
 *
 * @param terminal  filled; give it back with terminal_close()
 * @param colour    show styles
 * @param error     PM_ERROR_UNSUPPORTED with what the terminal cannot do
 * @return          0 or -1
 */
int terminal_open(struct terminal *terminal, bool colour, struct pm_error *error);

/**
 * Gives the terminal back as it was.
 * @param terminal as filled, or zeroed
 */
void terminal_close(struct terminal *terminal);

/**
 * The next key, without waiting.
 * @param terminal it
 * @return an enum terminal_key or a code point; TERMINAL_NO_KEY for none
 */
uint32_t terminal_key(struct terminal *terminal);

/** How a piece of text is shown. */
struct terminal_look {
	enum out_style style; /**< what it means */
	bool bold;            /**< a title */
	bool chosen;          /**< what keys act on */
};

/**
 * Begins a new picture, with nothing in it.
 * @param terminal it
 */
void terminal_begin(struct terminal *terminal);

/**
 * Puts text into the picture, cut where it does not fit.
 *
 * @param terminal  the terminal
 * @param row       line, from 0
 * @param column    column, from 0
 * @param width     columns that it may take; what it leaves of them is blank where `look` shows
 * that
 * @param text      escaped text
 * @param look      how
 */
void terminal_put(struct terminal *terminal, int row, int column, int width,
                  const struct text *text, struct terminal_look look);

/**
 * Shows the picture: only what is different is sent.
 * @param terminal it
 * @param row, column where the cursor goes; -1: there is none
 */
void terminal_show(struct terminal *terminal, int row, int column);

#endif
