/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Decodes the bytes that a terminal sends: characters, and the escape sequences of keys and of the
 * mouse. A sequence may arrive in any number of pieces. The bytes are untrusted.
 */
#ifndef CMD_VIEW_TERMINAL_KEYS_H
#define CMD_VIEW_TERMINAL_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A key: a code point, or one of these. */
enum terminal_key {
	TERMINAL_NO_KEY = 0,
	TERMINAL_ENTER = '\n',
	TERMINAL_ESCAPE = 27,
	TERMINAL_UP = 0x110000, /* above all code points */
	TERMINAL_DOWN,
	TERMINAL_PAGE_UP,
	TERMINAL_PAGE_DOWN,
	TERMINAL_HOME,
	TERMINAL_END,
	TERMINAL_BACKSPACE,
	TERMINAL_F1,
	TERMINAL_F2,
	TERMINAL_F3,
	TERMINAL_F4,
	TERMINAL_F5,
	TERMINAL_F6,
	TERMINAL_F7,
	TERMINAL_F8,
	TERMINAL_F9,
	TERMINAL_F10,
	TERMINAL_CLICK,      /**< the left button of the mouse was pressed */
	TERMINAL_WHEEL_UP,   /**< the wheel of the mouse was turned up by a step */
	TERMINAL_WHEEL_DOWN, /**< the wheel of the mouse was turned down by a step */
	TERMINAL_REDRAW,  /**< not a key: the size changed, or the program was stopped and continued
	                   */
	TERMINAL_RELEASE, /**< another event of the mouse, such as a button that was released */
	TERMINAL_OTHER,   /**< another key, which has no meaning */
};

/** A position on the screen. */
struct terminal_point {
	int row;    /**< line, from 0 */
	int column; /**< column, from 0 */
};

enum {
	TERMINAL_KEYS_SEQUENCE_MAX = 16, /**< size of a sequence of terminfo, with its NUL; the
	                                    longest one of common terminals has 8 bytes */
	TERMINAL_KEYS_NAMED_MAX = 20,    /**< number of sequences of terminfo */
	TERMINAL_KEYS_BUFFER = 64,       /**< a report of the mouse has at most 30 bytes */
	/**
	 * How long the caller waits for more bytes after a single ESC, in milliseconds, before it
	 * is the Escape key. Only this case is ambiguous.
	 */
	TERMINAL_KEYS_ESCAPE_MS = 200,
};

/** A sequence that terminfo names. */
struct terminal_keys_named {
	char bytes[TERMINAL_KEYS_SEQUENCE_MAX]; /**< the sequence, NUL-terminated, not empty */
	uint32_t key;                           /**< its key */
};

/** A decoder. A zeroed struct has received nothing, and knows the sequences of ECMA-48 only. */
struct terminal_keys {
	struct terminal_keys_named named[TERMINAL_KEYS_NAMED_MAX]; /**< sequences of terminfo */
	size_t named_count;                                        /**< number of sequences */
	char bytes[TERMINAL_KEYS_BUFFER]; /**< bytes that are not decoded yet */
	size_t length;                    /**< number of bytes */
	struct terminal_point mouse;      /**< position of the last event of the mouse */
};

/**
 * Adds a sequence of terminfo. It is ignored if it is longer than TERMINAL_KEYS_SEQUENCE_MAX, or
 * neither a control character nor a sequence that starts with ESC.
 *
 * @param keys      the decoder
 * @param sequence  the sequence, copied; NULL is ignored
 * @param key       its key
 */
void terminal_keys_add(struct terminal_keys *keys, const char *sequence, uint32_t key);

/**
 * Returns where to store received bytes. The caller adds their number to `length`.
 *
 * @param keys  the decoder
 * @param room  receives the number of bytes that can be stored; never 0 after
 *              terminal_keys_next() returned TERMINAL_NO_KEY
 * @return      address of the first byte
 */
char *terminal_keys_room(struct terminal_keys *keys, size_t *room);

/**
 * Checks whether the decoder has received ESC and nothing after it.
 * @param keys  the decoder
 * @return      true or false
 */
bool terminal_keys_has_escape(const struct terminal_keys *keys);

/**
 * Decodes the next key. Characters are decoded in the encoding of the locale.
 *
 * @param keys  the decoder
 * @param late  nothing was received for TERMINAL_KEYS_ESCAPE_MS: a single ESC is the Escape key
 * @return      an enum terminal_key or a code point; TERMINAL_NO_KEY if more bytes are needed. For
 *              events of the mouse, `mouse` is set
 */
uint32_t terminal_keys_next(struct terminal_keys *keys, bool late);

#endif
