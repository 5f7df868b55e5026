/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes untrusted bytes (names of files, processes and threads, the memory of the target) safe to
 * print.
 *
 * The encoding is always UTF-8, whatever the locale. In containers the locale is often not set,
 * although the terminal understands UTF-8.
 */
#ifndef CMD_BASE_UTF8_H
#define CMD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/**
 * Adds bytes to a text. Each byte that is not valid UTF-8, and each byte of a control character,
 * becomes `\xHH`.
 *
 * These characters count as control characters: those of ASCII; those of Latin-1 (U+0080..U+009F),
 * which terminals obey, too; the separators U+2028 and U+2029; the byte order mark; and all
 * characters that change the direction of text, because they can make a listing look different from
 * its contents.
 *
 * @param text    receives valid UTF-8 without newlines
 * @param bytes   arbitrary bytes, NULL if there are none
 * @param length  number of bytes
 */
void utf8_escape(struct text *text, const char *bytes, size_t length);

/**
 * Decodes one character (RFC 3629).
 *
 * @param bytes   at least one byte
 * @param length  number of bytes available
 * @param code    receives the code point
 * @return        number of bytes of the character, or 0 if the bytes are not valid UTF-8
 */
size_t utf8_decode(const char *bytes, size_t length, uint32_t *code);

/**
 * Encodes one character.
 *
 * @param code   the code point, not a surrogate, at most U+10FFFF
 * @param bytes  receives the character; room for 4 bytes
 * @return       number of bytes written
 */
size_t utf8_encode(uint32_t code, char *bytes);

/**
 * Checks whether utf8_escape() escapes a character.
 *
 * @param code  the code point
 * @return      true if it is escaped
 */
bool utf8_is_control(uint32_t code);

/**
 * Returns the width of an escaped text on a terminal.
 *
 * @param bytes   the text
 * @param length  number of bytes
 * @return        number of terminal columns
 */
size_t utf8_columns(const char *bytes, size_t length);

/**
 * Adds a text, escaped. Of a text that is too long, the end is kept, after an ellipsis: the end of
 * a path says more than its start.
 *
 * @param text     receives the text
 * @param bytes    the text, any bytes
 * @param length   number of bytes
 * @param columns  maximum number of terminal columns; SIZE_MAX to keep the whole text
 */
void utf8_escape_end(struct text *text, const char *bytes, size_t length, size_t columns);

/**
 * Finds where to cut an escaped text so that it fits.
 *
 * @param bytes    the text
 * @param length   number of bytes
 * @param columns  number of terminal columns available
 * @return         number of bytes to keep, in whole characters
 */
size_t utf8_fit(const char *bytes, size_t length, size_t columns);

#endif
