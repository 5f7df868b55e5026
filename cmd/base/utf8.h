/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Bytes that strangers chose (names of files, processes and threads, the target's own memory) as
 * text that is safe to print.
 *
 * UTF-8 is assumed whatever the locale says: in containers it is often unset, while the terminal
 * understands UTF-8.
 */
#ifndef CMD_BASE_UTF8_H
#define CMD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/**
 * Adds bytes to a text, those that are not valid UTF-8 and those of control characters as `\xHH`.
 *
 * Controls are those of ASCII, of Latin-1 (U+0080..U+009F, which terminals obey too), the
 * separators U+2028 and U+2029, and those that turn the direction of writing: they could make a
 * listing show something else than what is there.
 *
 * @param text    gets the result: valid UTF-8 in one line
 * @param bytes   any bytes
 * @param length  how many
 */
void utf8_escape(struct text *text, const char *bytes, size_t length);

/**
 * Reads one character (RFC 3629).
 *
 * @param bytes   at least one byte
 * @param length  how many there are
 * @param code    gets its code point
 * @return        how many bytes it has; 0 where there is no valid one
 */
size_t utf8_decode(const char *bytes, size_t length, uint32_t *code);

/**
 * Writes a character.
 * @param code its code point, none of a surrogate, up to U+10FFFF
 * @param bytes room for 4
 * @return how many it has
 */
size_t utf8_encode(uint32_t code, char *bytes);

/**
 * Whether a character is escaped by utf8_escape().
 * @param code its code point
 * @return true or false
 */
bool utf8_is_control(uint32_t code);

/**
 * How many columns of a terminal an escaped text takes.
 * @param bytes the text
 * @param length its bytes
 * @return columns
 */
size_t utf8_columns(const char *bytes, size_t length);

/**
 * Finds where to cut an escaped text so that it fits.
 *
 * @param bytes    the text
 * @param length   its bytes
 * @param columns  how many columns there are
 * @return         how many of its bytes to keep; whole characters only
 */
size_t utf8_fit(const char *bytes, size_t length, size_t columns);

#endif
