/* SPDX-License-Identifier: MIT */
#include "scan/pattern_text.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/array.h"
#include "base/number.h"
#include "base/pattern_error.h"
#include "scan/pattern_token.h"

void pm_pattern_text_deinit(struct pm_pattern_text *text)
{
	free(text->bytes);
	*text = (struct pm_pattern_text){ 0 };
}

void pm_pattern_text_add_bytes(struct pm_pattern_text *text, const char *bytes, size_t length)
{
	if (length == 0)
		return;
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

/**
 * Writes a pattern that matches a fixed text. All bytes are escaped, except ASCII letters, digits
 * and bytes beyond ASCII.
 */
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

/**
 * Writes a class that matches a byte of which only one hexadecimal digit is given.
 * @param high  the high digit, or -1 if it is not given
 * @param low   the low digit, or -1 if it is not given; exactly one of the digits is -1
 */
static void write_wildcard(struct pm_pattern_text *text, int high, int low)
{
	pm_pattern_text_add(text, "[");

	for (int i = 0; i < 16; i++) {
		int byte;

		if (high < 0)
			byte = i << 4 | low;
		else
			byte = high << 4 | i;
		pm_pattern_text_add_byte(text, (unsigned char)byte);
	}

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

		int high = pm_hex_digit(at[0]), low = -1;
		if (i + 1 < pattern->length)
			low = pm_hex_digit(at[1]);
		if ((high < 0 && at[0] != '?') || i + 1 == pattern->length ||
		    (low < 0 && at[1] != '?'))
			return pm_pattern_wrong(pattern->text, pattern->length, i,
			                        "each byte needs two hexadecimal digits, "
			                        "or '?' for any digit",
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

	if (count == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a hexadecimal pattern needs at least one byte");
	return 0;
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

	if (text->failed)
		return pm_error_out_of_memory(error);
	return 0;
}

/**
 * Assertions for the edges of words and lines, and for each of them the pattern that tests the same
 * in UTF-16. `texts[0]` is for little-endian UTF-16, `texts[1]` for big-endian.
 */
static const struct {
	char letter;
	bool multiline;
	const char *texts[2];
} edges[] = {
	{ 'b',
	  false,
	  { "(?:(?<=\\w\\x00)(?!\\w\\x00)|(?<!\\w\\x00)(?=\\w\\x00))",
	    "(?:(?<=\\x00\\w)(?!\\x00\\w)|(?<!\\x00\\w)(?=\\x00\\w))" } },
	{ 'B',
	  false,
	  { "(?:(?<=\\w\\x00)(?=\\w\\x00)|(?<!\\w\\x00)(?!\\w\\x00))",
	    "(?:(?<=\\x00\\w)(?=\\x00\\w)|(?<!\\x00\\w)(?!\\x00\\w))" } },
	{ '^', true, { "(?:\\A|(?<=\\n\\x00))", "(?:\\A|(?<=\\x00\\n))" } },
	{ '$', true, { "(?=\\n\\x00|\\z)", "(?=\\x00\\n|\\z)" } },
	{ '$', false, { "(?=(?:\\n\\x00)?\\z)", "(?=(?:\\x00\\n)?\\z)" } },
	{ 'Z', false, { "(?=(?:\\n\\x00)?\\z)", "(?=(?:\\x00\\n)?\\z)" } },
};

static void widen_edge(const struct pm_token *token, bool big, struct pm_pattern_text *text)
{
	char letter = token->text[token->length - 1];
	bool multiline = token->options & PCRE2_MULTILINE;
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
		if (edges[i].letter == letter &&
		    (edges[i].multiline == multiline || (letter != '^' && letter != '$'))) {
			pm_pattern_text_add(text, edges[i].texts[big]);
			return;
		}
	}

	pm_pattern_text_add_bytes(text, token->text, token->length);
}

static void add_unit(struct pm_pattern_text *text, unsigned unit, bool big)
{
	unsigned first = big ? unit >> 8 : unit;
	unsigned second = big ? unit : unit >> 8;

	pm_pattern_text_add_byte(text, (unsigned char)first);
	pm_pattern_text_add_byte(text, (unsigned char)second);
}

/** Converts a token that is a valid UTF-8 character of several bytes. */
static void widen_utf8(const struct pm_token *token, bool big, struct pm_pattern_text *text)
{
	const unsigned char *bytes = (const unsigned char *)token->text;
	uint32_t c = bytes[0] & (0xffu >> (token->length + 1));
	for (size_t i = 1; i < token->length; i++)
		c = c << 6 | (bytes[i] & 0x3fu);

	/* A byte of UTF-16 may have the value of an ASCII letter. The bytes must match exactly,
	 * even if the pattern ignores case. */
	pm_pattern_text_add(text, "(?-i:");
	if (c >= 0x10000) {
		add_unit(text, 0xd7c0 + (c >> 10), big);
		add_unit(text, 0xdc00 + (c & 0x3ff), big);
	} else
		add_unit(text, c, big);

	pm_pattern_text_add(text, ")");
}

/**
 * Converts a set of characters. If the set contains all bytes from 0x80, the result also matches
 * all characters beyond Latin-1.
 */
static void widen_set(const struct pm_byte_set *set, bool big, struct pm_pattern_text *text)
{
	pm_pattern_text_add(text, big ? "(?:\\x00[" : "(?:[");
	for (unsigned i = 0; i < 0x100; i++) {
		if (pm_byte_set_has(set, (uint8_t)i))
			pm_pattern_text_add_byte(text, (unsigned char)i);
	}

	pm_pattern_text_add(text, big ? "]" : "]\\x00");
	if (set->bits[2] == UINT64_MAX && set->bits[3] == UINT64_MAX)
		pm_pattern_text_add(text,
		                    big ? "|[^\\x00][\\x00-\\xff]" : "|[\\x00-\\xff][^\\x00]");
	pm_pattern_text_add(text, ")");
}

/**
 * Converts a token.
 * @return 0, or -1 if the token has no form in UTF-16
 */
static int widen_character(const struct pm_token *token, bool utf, bool big,
                           struct pm_pattern_text *text)
{
	struct pm_byte_set set;

	if (utf && (unsigned char)token->text[0] >= 0x80) {
		widen_utf8(token, big, text);
		return 0;
	}

	for (size_t i = 0; i < token->length; i++) {
		if ((unsigned char)token->text[i] >= 0x80)
			return -1;
	}

	if (!pm_token_bytes(token, false, &set))
		return -1;

	widen_set(&set, big, text);
	return 0;
}

/**
 * Converts a token.
 * @return 0, or -1 if the token has no form in UTF-16
 */
static int widen_token(const struct pm_token *token, bool utf, bool big,
                       struct pm_pattern_text *text)
{
	bool quotes = token->length == 2 &&
	              (memcmp(token->text, "\\Q", 2) == 0 || memcmp(token->text, "\\E", 2) == 0);

	switch (token->type) {
	case PM_TOKEN_CHARACTER:
		return widen_character(token, utf, big, text);
	case PM_TOKEN_EDGE:
		widen_edge(token, big, text);
		return 0;
	case PM_TOKEN_UNKNOWN:
		return -1;
	case PM_TOKEN_NOTHING:
		/* Quoted characters are written as escapes, so \Q and \E are not needed. */
		if (quotes)
			return 0;
		break;
	default:
		break;
	}

	pm_pattern_text_add_bytes(text, token->text, token->length);
	return 0;
}

/** Tests whether a pattern is valid UTF-8, so that its characters may have several bytes. */
static bool is_utf8(const struct pm_pattern_text *pattern)
{
	int code;
	PCRE2_SIZE offset;
	pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)pattern->bytes, pattern->length,
	                                     PCRE2_UTF | PCRE2_LITERAL, &code, &offset, NULL);
	pcre2_code_free(compiled);
	return compiled;
}

int pm_pattern_text_widen(const struct pm_pattern_text *pattern, unsigned options, bool big,
                          struct pm_pattern_text *text, struct pm_error *error)
{
	struct pm_tokens tokens;
	struct pm_token token;
	bool utf = is_utf8(pattern);
	options &= ~PCRE2_UTF;
	if (utf)
		options |= PCRE2_UTF;
	pm_tokens_init(&tokens, pattern->bytes, pattern->length, options);

	for (pm_tokens_next(&tokens, &token); token.type != PM_TOKEN_END;
	     pm_tokens_next(&tokens, &token)) {
		if (widen_token(&token, utf, big, text) < 0)
			return pm_pattern_wrong(pattern->bytes, pattern->length,
			                        (size_t)(token.text - pattern->bytes),
			                        "this part has no form in UTF-16; remove it, or "
			                        "search without UTF-16",
			                        error);
	}

	if (text->failed)
		return pm_error_out_of_memory(error);
	return 0;
}
