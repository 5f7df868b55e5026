/* SPDX-License-Identifier: MIT */
#include "target/similarity.h"

#include <string.h>

enum {
	HEX_MIN = 4,  /* shorter words are more likely words: "bad1" */
	HEX_SURE = 8, /* so many hexadecimal digits are no word */
	UUID_LENGTH = 36,
	PREFIX_LENGTH = 2, /* of 0x */
};

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

/** Bytes of the word at the begin of a text. */
static size_t word_length(const char *text, size_t length)
{
	size_t end = 0;
	while (end < length && is_alphanumeric(text[end]))
		end++;
	return end;
}

/** Whether a word is a number in hexadecimal. */
static bool is_hex_word(const char *word, size_t length)
{
	size_t digits = 0;
	for (size_t i = 0; i < length; i++) {
		if (!is_hex(word[i]))
			return false;
		digits += is_digit(word[i]);
	}
	return digits > 0 && length >= (digits * 2 >= length ? HEX_MIN : HEX_SURE);
}

/** Whether a text begins with a UUID. */
static bool begins_with_uuid(const char *text, size_t length)
{
	static const char shape[UUID_LENGTH + 1] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	if (length < UUID_LENGTH || (length > UUID_LENGTH && is_alphanumeric(text[UUID_LENGTH])))
		return false;

	for (size_t i = 0; i < UUID_LENGTH; i++)
		if (shape[i] == '-' ? text[i] != '-' : !is_hex(text[i]))
			return false;
	return true;
}

/**
 * Copies a word with # for each run of digits.
 * @return bytes written
 */
static size_t fold_digits(char *to, const char *word, size_t length)
{
	size_t written = 0;
	for (size_t i = 0; i < length; i++) {
		if (!is_digit(word[i]))
			to[written++] = word[i];
		else if (i == 0 || !is_digit(word[i - 1]))
			to[written++] = '#';
	}
	return written;
}

/**
 * Writes what stands for a word.
 * @return bytes written
 */
static size_t fold_word(char *to, const char *word, size_t length)
{
	bool prefix = length > PREFIX_LENGTH && word[0] == '0' &&
	              (word[1] == 'x' || word[1] == 'X');
	size_t digits = prefix ? PREFIX_LENGTH : 0;
	while (prefix && digits < length && is_hex(word[digits]))
		digits++;

	if (prefix && digits == length) {
		memcpy(to, "0x#", PREFIX_LENGTH + 1);
		return PREFIX_LENGTH + 1;
	}
	if (is_hex_word(word, length)) {
		*to = '#';
		return 1;
	}

	return fold_digits(to, word, length);
}

size_t similar_fold(char *to, const char *text, size_t length)
{
	size_t written = 0;
	for (size_t at = 0; at < length;) {
		size_t word = word_length(text + at, length - at);
		if (begins_with_uuid(text + at, length - at)) {
			to[written++] = '#';
			at += UUID_LENGTH;
		} else if (word > 0) {
			written += fold_word(to + written, text + at, word);
			at += word;
		} else
			to[written++] = text[at++];
	}

	return written;
}

size_t similar_text(bool varied, char *to, const char *text, size_t length)
{
	if (varied)
		return similar_fold(to, text, length);
	memcpy(to, text, length);
	return length;
}
