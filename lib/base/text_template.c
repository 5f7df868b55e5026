/* SPDX-License-Identifier: MIT */
#include <procmem/text_template.h>

#include <stdbool.h>
#include <string.h>

enum {
	HEX_MIN = 4,  /* minimum length of a hexadecimal number without 0x. A shorter sequence is
	                 more likely a word, such as "ad1" */
	HEX_SURE = 8, /* a word of at least this number of hexadecimal digits is a number even if
	                 most of these digits are letters */
	UUID_LENGTH = 36,
	PREFIX_LENGTH = 2, /* length of "0x" */
	FILLER_MIN = 8,    /* minimum length of a sequence of equal characters that is filler.
	                      A shorter one is part of a text, such as the line below a title */
};

/* U+2026, in place of the rest of the filler in a template. */
static const char ellipsis[] = "\xe2\x80\xa6";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_alphanumeric(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/**
 * Returns the length of the word (ASCII letters and digits) at the start of a text; 0 if the text
 * starts with another character.
 */
static size_t word_length(const char *text, size_t length)
{
	size_t end = 0;
	while (end < length && is_alphanumeric(text[end]))
		end++;
	return end;
}

/**
 * Returns the length of "0x" and the hexadecimal digits after it, at the start of a word. Returns 0
 * if the word does not start with "0x" and a further character.
 */
static size_t prefixed_length(const char *word, size_t length)
{
	if (length <= PREFIX_LENGTH || word[0] != '0' || (word[1] != 'x' && word[1] != 'X'))
		return 0;

	size_t end = PREFIX_LENGTH;
	while (end < length && is_hex(word[end]))
		end++;
	return end;
}

/** Returns whether a word is a hexadecimal number without a prefix. */
static bool is_hex_word(const char *word, size_t length)
{
	size_t digits = 0;
	for (size_t i = 0; i < length; i++) {
		if (!is_hex(word[i]))
			return false;
		digits += is_digit(word[i]);
	}

	bool mostly_letters = digits * 2 < length;
	if (mostly_letters && length < HEX_SURE)
		return false;
	return digits > 0 && length >= HEX_MIN;
}

/** Returns whether a text starts with a UUID. */
static bool starts_with_uuid(const char *text, size_t length)
{
	static const char shape[UUID_LENGTH + 1] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	if (length < UUID_LENGTH || (length > UUID_LENGTH && is_alphanumeric(text[UUID_LENGTH])))
		return false;

	for (size_t i = 0; i < UUID_LENGTH; i++) {
		bool fits = shape[i] == '-' ? text[i] == '-' : is_hex(text[i]);
		if (!fits)
			return false;
	}
	return true;
}

/** Returns the length of the filler at the start of a text; 0 if there is none. */
static size_t filler_length(const char *text, size_t length)
{
	if (length < FILLER_MIN || is_digit(*text) || (unsigned char)*text >= 0x80)
		return 0;

	size_t end = 1;
	while (end < length && text[end] == *text)
		end++;
	return end < FILLER_MIN ? 0 : end;
}

/**
 * Returns the length of the word at the start of a text up to its filler, if it has any.
 * @param length  length of the word in bytes
 */
static size_t length_before_filler(const char *word, size_t length)
{
	for (size_t at = 1; at + FILLER_MIN <= length; at++)
		if (filler_length(word + at, length - at) > 0)
			return at;
	return length;
}

/**
 * Copies a word, and replaces each sequence of decimal digits by #.
 * @return number of bytes written
 */
static size_t write_digits(const char *word, size_t length, char *output)
{
	size_t written = 0;
	for (size_t i = 0; i < length; i++) {
		if (!is_digit(word[i]))
			output[written++] = word[i];
		else if (i == 0 || !is_digit(word[i - 1]))
			output[written++] = '#';
	}
	return written;
}

/**
 * Writes the template of a word.
 * @return number of bytes written
 */
static size_t write_word(const char *word, size_t length, char *output)
{
	if (prefixed_length(word, length) == length) {
		memcpy(output, "0x#", PREFIX_LENGTH + 1);
		return PREFIX_LENGTH + 1;
	}

	if (is_hex_word(word, length)) {
		*output = '#';
		return 1;
	}

	return write_digits(word, length, output);
}

size_t pm_text_template_write(const char *text, size_t length, char *output)
{
	size_t written = 0, word_end = 0;

	for (size_t at = 0; at < length;) {
		size_t filler = filler_length(text + at, length - at);
		/* Filler can be in the middle of a word. The end of the word is determined only
		 * once, so that the time does not depend on the number of fillers in it. */
		if (at >= word_end)
			word_end = at + word_length(text + at, length - at);

		if (starts_with_uuid(text + at, length - at)) {
			output[written++] = '#';
			at += UUID_LENGTH;
		} else if (filler > 0) {
			output[written++] = text[at];
			memcpy(output + written, ellipsis, sizeof ellipsis - 1);
			written += sizeof ellipsis - 1;
			at += filler;
		} else if (word_end > at) {
			size_t word = length_before_filler(text + at, word_end - at);
			written += write_word(text + at, word, output + written);
			at += word;
		} else {
			output[written++] = text[at++];
		}
	}

	return written;
}

size_t pm_text_template_of_item(const struct pm_tally_item *item, char *output)
{
	if (item->varied)
		return pm_text_template_write(item->text, item->length, output);

	memcpy(output, item->text, item->length);
	return item->length;
}
