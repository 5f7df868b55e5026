/* SPDX-License-Identifier: MIT */
/* Most chunks do not contain text, and are rejected eight bytes at a time: see printable_bits(). */
#include "heap/chunk_text.h"

#include <stdint.h>
#include <string.h>

#include <procmem/heap.h>

#include "base/minmax.h"

enum {
	START_MIN = 4, /* least length of a text at the start of the bytes */
	INNER_MIN = 8, /* least length of a text that starts later */
	/* Length of a text that can be the address of a program or its heap, which starts with 0x55
	 * or 0x56: six bytes and two NULs */
	ADDRESS_LENGTH = 6,
	WORD = sizeof(uint64_t),
};

/* A word whose bytes are all 1. */
static const uint64_t ones = 0x0101010101010101;

/** Loads up to eight bytes. Bytes beyond the end are 0. */
static uint64_t load(const unsigned char *bytes, size_t size)
{
	uint64_t word = 0;
	memcpy(&word, bytes, (size_t)pm_min(size, WORD));
	return word;
}

/** Returns a word in which the highest bit of each byte is set if the byte is 0x20 to 0x7e. */
static uint64_t printable_bits(uint64_t word)
{
	uint64_t low = word & ones * 0x7f;
	return (low + ones * 0x60) & ~(low + ones) & ~word & ones * 0x80;
}

/** Returns a word in which the highest bit of each byte is set if the byte has a value. */
static uint64_t equal_bits(uint64_t word, unsigned char value)
{
	uint64_t difference = word ^ ones * value;
	uint64_t low = (difference & ones * 0x7f) + ones * 0x7f;
	return ~(low | difference) & ones * 0x80;
}

/**
 * Returns a word in which the highest bit of each byte is set if the byte can be part of a text:
 * printable ASCII, tab, newline, carriage return, or part of a UTF-8 character.
 */
static uint64_t text_bits(uint64_t word)
{
	uint64_t spaces = equal_bits(word, '\t') | equal_bits(word, '\n') | equal_bits(word, '\r');
	return printable_bits(word) | spaces | (word & ones * 0x80);
}

/** Returns a bitmap with a bit for each of at most 64 bytes: whether it can be part of a text. */
static uint64_t text_map(const unsigned char *bytes, size_t size)
{
	uint64_t map = 0;
	for (size_t at = 0; at < size; at += WORD) {
		/* The product moves the bit of byte N to bit 56 + N. */
		uint64_t bits = text_bits(load(bytes + at, size - at)) >> 7;
		map |= (bits * 0x0102040810204080 >> 56) << at;
	}
	return map;
}

/** Returns the bits of a bitmap at which eight successive bits start. */
static uint64_t starts_of_runs(uint64_t map)
{
	map &= map >> 1;
	map &= map >> 2;
	map &= map >> 4;
	return map;
}

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
		uint64_t word = load(bytes + run.length, size - run.length);
		uint64_t others = ~printable_bits(word) & ones * 0x80;
		size_t printable = WORD;
		if (others)
			printable = (size_t)__builtin_ctzll(others) / 8;

		run.length += printable;
		run.characters += printable;
		if (printable == WORD || run.length == size)
			continue;

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

/**
 * Finds the text at an offset.
 * @param min   minimum number of characters
 * @param next  receives the offset after the sequence of printable characters
 * @return      the text, of length 0 if there is none
 */
static struct pm_chunk_text text_at(const unsigned char *bytes, size_t size, size_t at, size_t min,
                                    size_t *next)
{
	struct run run = measure(bytes + at, size - at);
	size_t end = at + run.length;

	*next = end;
	if (run.characters < min || !ends_as_text(bytes, size, end) ||
	    is_address(bytes, size, at, run.length))
		return (struct pm_chunk_text){ .text = (const char *)bytes };

	return (struct pm_chunk_text){
		.text = (const char *)bytes + at,
		.length = run.length,
		.offset = at,
		.cut = end == size || bytes[end] != '\0',
	};
}

struct pm_chunk_text pm_chunk_text_at_start(const void *head, size_t size)
{
	const uint64_t first_four = 0x80808080;
	size_t next;

	size = (size_t)pm_min(size, PM_CHUNK_HEAD_SIZE);
	if ((text_bits(load(head, size)) & first_four) != first_four)
		return (struct pm_chunk_text){ .text = head };

	return text_at(head, size, 0, START_MIN, &next);
}

struct pm_chunk_text pm_chunk_text_find(const void *head, size_t size)
{
	struct pm_chunk_text found = pm_chunk_text_at_start(head, size);
	if (found.length > 0)
		return found;

	size = (size_t)pm_min(size, PM_CHUNK_HEAD_SIZE);
	uint64_t starts = starts_of_runs(text_map(head, size));

	/* A sequence at the start is too short, or does not end like a text. */
	size_t next = measure(head, size).length;
	while (next + 1 < size && starts >> (next + 1)) {
		size_t at = next + 1 + (size_t)__builtin_ctzll(starts >> (next + 1));
		found = text_at(head, size, at, INNER_MIN, &next);
		if (found.length > 0)
			break;
	}

	return found;
}
