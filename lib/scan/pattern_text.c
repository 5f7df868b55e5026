/* SPDX-License-Identifier: MIT */
#include "scan/pattern_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/pattern_error.h"

void pm_pattern_text_deinit(struct pm_pattern_text *text)
{
	free(text->bytes);
	*text = (struct pm_pattern_text){ 0 };
}

void pm_pattern_text_add_bytes(struct pm_pattern_text *text, const char *bytes, size_t length)
{
	if (text->failed ||
	    pm_array_reserve(&text->bytes, &text->capacity, text->length, length, 1, NULL) < 0) {
		text->failed = true;
		return;
	}

	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

void pm_pattern_text_add(struct pm_pattern_text *text, const char *more)
{
	pm_pattern_text_add_bytes(text, more, strlen(more));
}

void pm_pattern_text_add_byte(struct pm_pattern_text *text, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";
	const char escape[] = { '\\', 'x', digits[byte >> 4], digits[byte & 0xf] };
	pm_pattern_text_add_bytes(text, escape, sizeof escape);
}

/** Letters, digits and all bytes beyond ASCII stand for themselves. */
static void write_fixed(const struct pm_pattern *pattern, struct pm_pattern_text *text)
{
	for (size_t i = 0; i < pattern->length; i++) {
		char c = pattern->text[i];
		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (unsigned char)c >= 0x80)
			pm_pattern_text_add_bytes(text, &c, 1);
		else
			pm_pattern_text_add_byte(text, (unsigned char)c);
	}
}

/** A byte of which a digit is left open. */
static void write_wildcard(struct pm_pattern_text *text, int high, int low)
{
	pm_pattern_text_add(text, "[");
	for (int i = 0; i < 16; i++)
		pm_pattern_text_add_byte(text,
		                         (unsigned char)(high < 0 ? i << 4 | low : high << 4 | i));
	pm_pattern_text_add(text, "]");
}

static int write_hex(const struct pm_pattern *pattern, struct pm_pattern_text *text,
                     struct pm_error *error)
{
	size_t i = 0, count = 0;
	for (; i < pattern->length; i++) {
		const char *at = pattern->text + i;
		if (*at == ' ' || *at == '\t')
			continue;

		int high = pm_hex_digit(at[0]),
		    low = i + 1 < pattern->length ? pm_hex_digit(at[1]) : -1;
		if ((high < 0 && at[0] != '?') || i + 1 == pattern->length ||
		    (low < 0 && at[1] != '?'))
			return pm_pattern_wrong(pattern->text, pattern->length, i,
			                        "bytes are written as two hexadecimal digits each, "
			                        "'?' stands for any",
			                        error);

		if (high >= 0 && low >= 0)
			pm_pattern_text_add_byte(text, (unsigned char)(high << 4 | low));
		else if (high < 0 && low < 0)
			pm_pattern_text_add(text, "[\\x00-\\xff]");
		else
			write_wildcard(text, high, low);

		count++;
		i++;
	}

	return count > 0 ? 0
	                 : pm_error_set(error, PM_ERROR_USAGE, 0,
	                                "a pattern in hexadecimal needs at least one byte");
}

int pm_pattern_text_write(const struct pm_pattern *pattern, struct pm_pattern_text *text,
                          struct pm_error *error)
{
	if (pattern->flags & PM_PATTERN_HEX) {
		if (write_hex(pattern, text, error) < 0)
			return -1;
	} else if (pattern->flags & PM_PATTERN_FIXED)
		write_fixed(pattern, text);
	else
		pm_pattern_text_add_bytes(text, pattern->text, pattern->length);
	return text->failed ? pm_error_out_of_memory(error) : 0;
}
