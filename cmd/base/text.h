/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A text that grows, and numbers written into it by hand: listings have hundreds of thousands of
 * cells, and printf would cost most of their time.
 */
#ifndef CMD_BASE_TEXT_H
#define CMD_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** A text; all zero is an empty one. */
struct text {
	char *bytes;     /**< the text, without a NUL behind; NULL as long as nothing was added */
	size_t length;   /**< bytes in use */
	size_t capacity; /**< bytes there is room for */
};

/**
 * Releases a text.
 * @param text the text; empty afterwards
 */
void text_deinit(struct text *text);

/**
 * Makes room, in place or by moving it.
 * @param text the text
 * @param more bytes that will be added
 * @return where they go
 */
char *text_grow(struct text *text, size_t more);

/**
 * Makes room for more bytes.
 * @param text the text
 * @param more how many
 * @return where they go
 */
static inline char *text_room(struct text *text, size_t more)
{
	return text->capacity - text->length >= more ? text->bytes + text->length
	                                             : text_grow(text, more);
}

/**
 * Empties a text and keeps its memory.
 * @param text the text
 */
static inline void text_clear(struct text *text)
{
	text->length = 0;
}

/**
 * Adds bytes.
 * @param text the text
 * @param bytes what
 * @param length how many
 */
static inline void text_bytes(struct text *text, const char *bytes, size_t length)
{
	if (length > 0)
		memcpy(text_room(text, length), bytes, length);
	text->length += length;
}

/**
 * Adds a string.
 * @param text the text
 * @param string ends in NUL
 */
static inline void text_string(struct text *text, const char *string)
{
	text_bytes(text, string, strlen(string));
}

/**
 * Adds one byte.
 * @param text the text
 * @param byte the byte
 */
static inline void text_char(struct text *text, char byte)
{
	*text_room(text, 1) = byte;
	text->length++;
}

/**
 * Adds the same byte several times.
 * @param text the text
 * @param byte the byte
 * @param count how often
 */
void text_fill(struct text *text, char byte, size_t count);

/**
 * Adds a number in decimal.
 * @param text the text
 * @param value the number
 */
void text_decimal(struct text *text, uint64_t value);

/**
 * Adds a number in decimal with commas between thousands.
 * @param text the text
 * @param value the number
 */
void text_grouped(struct text *text, uint64_t value);

/**
 * Adds a number in hexadecimal.
 * @param text the text
 * @param value the number
 * @param digits the least number of digits, at most 16
 */
void text_hex(struct text *text, uint64_t value, unsigned digits);

/**
 * Adds a size for people: "255.9M", "-" for 0.
 * @param text the text
 * @param bytes the size
 */
void text_size(struct text *text, uint64_t bytes);

/**
 * How long text_decimal() makes a number.
 * @param value the number
 * @return characters
 */
size_t text_decimal_length(uint64_t value);

/**
 * How long text_hex() makes a number, with at least one digit.
 * @param value the number
 * @return characters
 */
static inline size_t text_hex_length(uint64_t value)
{
	return value ? (size_t)(64 - __builtin_clzll(value) + 3) / 4 : 1;
}

/**
 * How long text_size() makes a size.
 * @param bytes the size
 * @return characters
 */
size_t text_size_length(uint64_t bytes);

/**
 * Adds what printf would print; for the texts that are written a few times only.
 * @param text the text
 * @param format as for printf
 */
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Adds what vprintf would print.
 * @param text the text
 * @param format as for printf
 * @param arguments its arguments; used up
 */
void text_vformat(struct text *text, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/**
 * The text as a string.
 * @param text the text
 * @return its bytes with a NUL behind, which is not counted; valid until the next change
 */
const char *text_terminate(struct text *text);

#endif
