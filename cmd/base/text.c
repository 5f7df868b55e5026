/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/minmax.h"

enum { FIRST_CAPACITY = 128, DECIMAL_DIGITS = 20, HEX_DIGITS = 16 };

void text_deinit(struct text *text)
{
	free(text->bytes);
	*text = (struct text){ 0 };
}

char *text_grow(struct text *text, size_t more)
{
	size_t doubled = pm_max_size(text->capacity * 2, FIRST_CAPACITY);
	size_t capacity = pm_max_size(doubled, text->length + more);

	text->bytes = alloc_array(text->bytes, capacity, 1);
	text->capacity = capacity;
	return text->bytes + text->length;
}

void text_fill(struct text *text, char byte, size_t count)
{
	if (count > 0)
		memset(text_room(text, count), byte, count);
	text->length += count;
}

void text_decimal(struct text *text, uint64_t value)
{
	char digits[DECIMAL_DIGITS];
	size_t first = sizeof digits;

	do {
		digits[--first] = (char)('0' + value % 10);
	} while ((value /= 10) > 0);

	text_bytes(text, digits + first, sizeof digits - first);
}

void text_grouped(struct text *text, uint64_t value)
{
	size_t first = text->length;

	text_decimal(text, value);
	for (size_t left = text->length - first; left > 3;) {
		/* Insert the commas from right to left. Each insertion moves the characters to the
		 * right of the comma, which already contain their commas. */
		left -= 3;
		text_char(text, ' ');
		memmove(text->bytes + first + left + 1, text->bytes + first + left,
		        text->length - 1 - first - left);
		text->bytes[first + left] = ',';
	}
}

void text_percent(struct text *text, double percent)
{
	if (percent > 99 && percent < 100)
		text_format(text, "%.1f", percent > 99.9 ? 99.9 : percent);
	else
		text_format(text, "%.0f", percent);
}

const char *text_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

void text_hex(struct text *text, uint64_t value, unsigned digits)
{
	char hex[HEX_DIGITS];
	size_t first = sizeof hex;

	do {
		hex[--first] = "0123456789abcdef"[value & 15];
	} while ((value >>= 4) > 0);

	while (first > 0 && sizeof hex - first < digits)
		hex[--first] = '0';

	text_bytes(text, hex + first, sizeof hex - first);
}

void text_size(struct text *text, uint64_t bytes)
{
	char *at = text_room(text, PM_SIZE_TEXT_SIZE);
	text->length += pm_format_size(bytes, at);
}

void text_size_as(struct text *text, uint64_t bytes, bool exact)
{
	if (exact)
		text_decimal(text, bytes);
	else
		text_size(text, bytes);
}

void text_shell_word(struct text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789./_-+:@,=";

	if (*word && word[strspn(word, plain)] == '\0') {
		text_string(text, word);
		return;
	}

	text_char(text, '\'');
	for (; *word; word++)
		if (*word == '\'')
			text_string(text, "'\\''");
		else
			text_char(text, *word);
	text_char(text, '\'');
}

size_t text_decimal_length(uint64_t value)
{
	size_t length = 1;

	while (value >= 10) {
		value /= 10;
		length++;
	}
	return length;
}

size_t text_size_length(uint64_t bytes)
{
	if (bytes < 1024)
		return bytes ? text_decimal_length(bytes) + 1 : 1;

	/* Round as pm_format_size() does: to tenths of the unit, half up; 1024.0 of a unit
	 * becomes 1.0 of the next unit. */
	unsigned shift = (unsigned)(63 - __builtin_clzll(bytes)) / 10 * 10;
	uint64_t half = (uint64_t)1 << (shift - 1);
	uint64_t tenths = (uint64_t)((((unsigned __int128)bytes * 10) + half) >> shift);
	uint64_t whole = tenths < 10240 ? tenths / 10 : 1;

	return 4 + (size_t)(whole > 9) + (size_t)(whole > 99) + (size_t)(whole > 999);
}

void text_vformat(struct text *text, const char *format, va_list arguments)
{
	va_list copy;

	va_copy(copy, arguments);

	int length = vsnprintf(NULL, 0, format, arguments);
	if (length > 0) {
		vsnprintf(text_room(text, (size_t)length + 1), (size_t)length + 1, format, copy);
		text->length += (size_t)length;
	}

	va_end(copy);
}

void text_format(struct text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	text_vformat(text, format, arguments);
	va_end(arguments);
}

const char *text_terminate(struct text *text)
{
	*text_room(text, 1) = '\0';
	return text->bytes;
}
