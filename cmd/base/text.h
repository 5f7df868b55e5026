/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A text that grows. Numbers are formatted without printf(3), because printf(3) would take
 * most of the time of a listing with hundreds of thousands of cells.
 */
#ifndef CMD_BASE_TEXT_H
#define CMD_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** A text. A zeroed structure is an empty text. */
struct text {
	char *bytes;     /**< the bytes, not NUL-terminated; NULL until something is added; owned */
	size_t length;   /**< number of bytes in use */
	size_t capacity; /**< number of bytes allocated */
};

/**
 * Releases a text.
 * @param text  the text; empty afterwards
 */
void text_deinit(struct text *text);

/**
 * Allocates room for more bytes. text_room() calls this function if the allocated room is too
 * small.
 *
 * @param text  the text
 * @param more  number of bytes that will be added
 * @return      where to write them
 */
char *text_grow(struct text *text, size_t more);

/**
 * Makes room for more bytes.
 *
 * @param text  the text
 * @param more  number of bytes that will be added
 * @return      where to write them
 */
static inline char *text_room(struct text *text, size_t more)
{
	if (text->capacity - text->length >= more)
		return text->bytes + text->length;
	return text_grow(text, more);
}

/**
 * Empties a text and keeps its memory.
 * @param text  the text
 */
static inline void text_clear(struct text *text)
{
	text->length = 0;
}

/**
 * Adds bytes.
 *
 * @param text    the text
 * @param bytes   the bytes, NULL if there are none
 * @param length  number of bytes
 */
static inline void text_bytes(struct text *text, const char *bytes, size_t length)
{
	if (length > 0)
		memcpy(text_room(text, length), bytes, length);
	text->length += length;
}

/**
 * Adds a string.
 *
 * @param text    the text
 * @param string  NUL-terminated string
 */
static inline void text_string(struct text *text, const char *string)
{
	text_bytes(text, string, strlen(string));
}

/**
 * Adds one byte.
 *
 * @param text  the text
 * @param byte  the byte
 */
static inline void text_char(struct text *text, char byte)
{
	*text_room(text, 1) = byte;
	text->length++;
}

/**
 * Adds a byte several times.
 *
 * @param text   the text
 * @param byte   the byte
 * @param count  number of times
 */
void text_fill(struct text *text, char byte, size_t count);

/**
 * Adds a number in decimal.
 *
 * @param text   the text
 * @param value  the number
 */
void text_decimal(struct text *text, uint64_t value);

/**
 * Adds a number in decimal, with commas between thousands.
 *
 * @param text   the text
 * @param value  the number
 */
void text_grouped(struct text *text, uint64_t value);

/**
 * Adds a percentage without the sign: "97", and above 99 "99.3". It is never rounded to 100.
 *
 * @param text     receives the number
 * @param percent  the percentage
 */
void text_percent(struct text *text, double percent);

/**
 * Returns the ending of a regular noun after a number: "1 region", "2 regions".
 * @param count  the number
 * @return       "", or "s"
 */
const char *text_plural(uint64_t count);

/**
 * Adds a number in hexadecimal.
 *
 * @param text    the text
 * @param value   the number
 * @param digits  the minimum number of digits, at most 16
 */
void text_hex(struct text *text, uint64_t value, unsigned digits);

/**
 * Adds a human-readable size, such as "255.9M", or "-" for 0.
 *
 * @param text   the text
 * @param bytes  the size in bytes
 */
void text_size(struct text *text, uint64_t bytes);

/**
 * Adds a size: in bytes, as a number, or human-readable.
 *
 * @param text   the text
 * @param bytes  the size in bytes
 * @param exact  whether the user wants bytes (--bytes)
 */
void text_size_as(struct text *text, uint64_t bytes, bool exact);

/**
 * Adds a word that a shell reads as this word: in quotes if it has other characters than those of
 * usual names.
 * @param text  receives the word
 * @param word  any bytes
 */
void text_shell_word(struct text *text, const char *word);

/**
 * Returns the length of the text that text_decimal() adds.
 *
 * @param value  the number
 * @return       number of characters
 */
size_t text_decimal_length(uint64_t value);

/**
 * Returns the length of the text that text_hex() adds if `digits` is 1.
 *
 * @param value  the number
 * @return       number of characters
 */
static inline size_t text_hex_length(uint64_t value)
{
	return value ? (size_t)(64 - __builtin_clzll(value) + 3) / 4 : 1;
}

/**
 * Returns the length of the text that text_size() adds.
 *
 * @param bytes  the size in bytes
 * @return       number of characters
 */
size_t text_size_length(uint64_t bytes);

/**
 * Adds formatted text, as sprintf(3) does. Slow: not for the cells of long lists.
 *
 * @param text    the text
 * @param format  format of printf(3)
 */
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Adds formatted text, as vsprintf(3) does.
 *
 * @param text       the text
 * @param format     format of printf(3)
 * @param arguments  the values; indeterminate afterwards
 */
void text_vformat(struct text *text, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/**
 * Adds a NUL after the text, without counting it in `length`.
 *
 * @param text  the text
 * @return      the text as a string; valid until the text is changed
 */
const char *text_terminate(struct text *text);

#endif
