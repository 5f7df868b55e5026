/* SPDX-License-Identifier: MIT */
#include <procmem/chunk_text.h>

#include <stdint.h>
#include <string.h>

#include <procmem/heap.h>

#include "base/minmax.h"

enum {
	START_MIN = 4, /* characters of a text at the start of the bytes */
	INNER_MIN = 8, /* characters of a text elsewhere */
	/* Length of a text that can be the address of a program or its heap, which starts with 0x55
	 * or 0x56: six bytes and two NULs */
	ADDRESS_LENGTH = 6,
};

static bool is_printable_ascii(unsigned char byte)
{
	return (byte >= 0x20 && byte < 0x7f) || byte == '\t' || byte == '\n' || byte == '\r';
}

/** Returns the length in bytes of a UTF-8 character by its first byte; 0 if there is none. */
static size_t utf8_length(unsigned char first)
{
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 0;
}

/**
 * Returns the length of a printable character; 0 if there is none. RFC 3629 excludes overlong
 * forms, surrogates, and values above U+10FFFF; U+0080 to U+009F are control characters.
 */
static size_t character_length(const unsigned char *bytes, size_t size)
{
	if (is_printable_ascii(bytes[0]))
		return 1;

	size_t length = utf8_length(bytes[0]);
	if (length == 0 || length > size)
		return 0;

	for (size_t i = 1; i < length; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;

	unsigned start = (unsigned)bytes[0] << 8 | bytes[1];
	bool is_invalid = start < 0xc2a0 || (start >= 0xe000 && start < 0xe0a0) ||
	                  (start >= 0xeda0 && start < 0xee00) ||
	                  (start >= 0xf000 && start < 0xf090) || start >= 0xf490;
	return is_invalid ? 0 : length;
}

/** A sequence of printable characters. */
struct run {
	size_t length;     /* in bytes */
	size_t characters; /* in characters */
};

static struct run measure(const unsigned char *bytes, size_t size)
{
	struct run run = { 0 };

	while (run.length < size) {
		size_t length = character_length(bytes + run.length, size - run.length);
		if (length == 0)
			break;
		run.length += length;
		run.characters++;
	}

	return run;
}

/**
 * Tests whether a sequence ends like a text: at a NUL, at the end of the bytes, or with a character
 * that the end of the bytes cuts.
 */
static bool ends_as_text(const unsigned char *bytes, size_t size, size_t length)
{
	if (length == size || bytes[length] == '\0')
		return true;
	return utf8_length(bytes[length]) > size - length;
}

/** Tests whether a text is an aligned word that is more likely an address, such as 0x555555602020.
 */
static bool is_address(const unsigned char *bytes, size_t size, size_t at, size_t length)
{
	bool has_form = at % sizeof(uint64_t) == 0 && length == ADDRESS_LENGTH &&
	                at + sizeof(uint64_t) <= size && bytes[at + 7] == '\0';
	unsigned char high = bytes[at + length - 1];

	return has_form && (high == 0x55 || high == 0x56);
}

struct pm_chunk_text pm_chunk_text_find(const void *head, size_t size)
{
	const unsigned char *bytes = head;
	size_t at = 0;

	size = (size_t)pm_min(size, PM_CHUNK_HEAD_SIZE);
	while (at + START_MIN <= size) {
		struct run run = measure(bytes + at, size - at);
		size_t min = at == 0 ? START_MIN : INNER_MIN;

		if (run.characters >= min && ends_as_text(bytes, size, at + run.length) &&
		    !is_address(bytes, size, at, run.length))
			return (struct pm_chunk_text){
				.text = (const char *)bytes + at,
				.length = run.length,
				.offset = at,
				.cut = at + run.length == size || bytes[at + run.length] != '\0',
			};
		at += run.length + 1;
	}

	return (struct pm_chunk_text){ .text = head };
}
