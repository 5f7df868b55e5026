/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A terminal in full-screen mode: prints text at any position, reads single keys, and restores
 * the terminal when the program ends. Only this part of the program uses ncurses.
 */
#ifndef CMD_VIEW_TERMINAL_H
#define CMD_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/out.h"
#include "view/terminal_keys.h"

/** A terminal in use. Only one can be used at a time, because the state of ncurses is global. */
struct terminal {
	void *screen; /**< private: the screen of ncurses; owned */
	void *input;  /**< private: stream of the keys, NULL for standard input; owned */
	int keys;     /**< descriptor that becomes readable when a key is pressed */
	int rows;     /**< number of lines */
	int columns;  /**< number of columns */
	struct terminal_keys decoder; /**< private: the bytes that were received */
	bool knows_mouse;             /**< the terminal can report events of the mouse */
	bool mouse;                   /**< it does so */
	bool utf8;                    /**< the terminal shows UTF-8, not just ASCII */
	bool colour;                  /**< styles are shown in colour */
};

/**
 * Checks whether the terminal on standard output supports full-screen mode.
 *
 * @param error  PM_ERROR_UNSUPPORTED with what the terminal cannot do
 * @return       0 or -1
 */
int terminal_check(struct pm_error *error);

/**
 * Switches the terminal on standard output to full-screen mode. Keys are read from standard input,
 * or from the controlling terminal if standard input is not a terminal.
 *
 * @param terminal  filled; release it with terminal_close()
 * @param colour    whether to show styles in colour
 * @param error     PM_ERROR_UNSUPPORTED with what the terminal cannot do
 * @return          0 or -1
 */
int terminal_open(struct terminal *terminal, bool colour, struct pm_error *error);

/**
 * Restores the terminal.
 * @param terminal  the terminal, or zeroed
 */
void terminal_close(struct terminal *terminal);

/**
 * Reads the next key or the next event of the mouse. Waits only for what may follow a single ESC,
 * for TERMINAL_KEYS_ESCAPE_MS.
 *
 * @param terminal  the terminal; for events of the mouse, `decoder.mouse` is set
 * @return          an enum terminal_key or a code point; TERMINAL_NO_KEY if no key was pressed
 */
uint32_t terminal_key(struct terminal *terminal);

/**
 * Lets the terminal report events of the mouse, or lets it select text with the mouse. At first, it
 * reports them if it can. terminal_close() and stopping the program end the reports.
 *
 * @param terminal  the terminal
 * @param wanted    whether events are to be reported
 * @return          false if the terminal cannot report events
 */
bool terminal_use_mouse(struct terminal *terminal, bool wanted);

/** The appearance of a text. */
struct terminal_look {
	enum out_style style; /**< its meaning */
	bool bold;            /**< the text is a title */
	bool chosen;          /**< the text is the selection on which keys act */
};

/**
 * Starts a new screen, which is empty.
 * @param terminal  the terminal
 */
void terminal_begin(struct terminal *terminal);

/**
 * Puts text on the screen, cut to its width.
 *
 * @param terminal  the terminal
 * @param row       line, from 0
 * @param column    column, from 0
 * @param width     number of columns available; a selection is filled with spaces up to this width
 * @param text      escaped text
 * @param look      appearance of the text
 */
void terminal_put(struct terminal *terminal, int row, int column, int width,
                  const struct text *text, struct terminal_look look);

/**
 * Puts the cell of a table on the screen. A text that is too wide ends with "…".
 *
 * @param terminal  the terminal
 * @param row       line, from 0
 * @param column    first column of the cell, from 0
 * @param width     number of columns of the cell, at least 1
 * @param right     whether the text is aligned to the right
 * @param text      escaped text; it may be shortened
 * @param look      appearance of the text
 */
void terminal_put_cell(struct terminal *terminal, int row, int column, int width, bool right,
                       struct text *text, struct terminal_look look);

/**
 * Shows the screen. Only changes are sent to the terminal.
 *
 * @param terminal  the terminal
 * @param row       line of the cursor, from 0; -1 to hide the cursor
 * @param column    column of the cursor, from 0
 */
void terminal_show(struct terminal *terminal, int row, int column);

#endif
