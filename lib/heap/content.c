/* SPDX-License-Identifier: MIT */
#include "heap/content.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = sizeof(uint64_t),
	SMALL_BITS = 24, /* integers of less bits are numbers */
};

bool pm_content_is_zeros(const void *head, size_t size)
{
	const char *bytes = head;
	uint64_t all = 0, word;

	for (; size >= WORD; bytes += WORD, size -= WORD) {
		memcpy(&word, bytes, WORD);
		all |= word;
	}

	word = 0;
	memcpy(&word, bytes, size);
	return (all | word) == 0;
}

/** Tests whether half of a word is an integer with an absolute value below 2^24. */
static bool is_small(uint32_t half)
{
	return half < 1u << SMALL_BITS || half >= UINT32_MAX - (1u << SMALL_BITS);
}

/** Tests whether a word is a floating-point number of 10^-12 to 10^15, about 2^-40 to 2^50. */
static bool is_double(uint64_t word)
{
	const uint64_t bias = 1023;
	uint64_t exponent = word >> 52 & 0x7ff;
	return exponent >= bias - 40 && exponent < bias + 50;
}

/** Tests whether half of a word is 0 or a floating-point number of about 10^-6 to 10^7. */
static bool is_float(uint32_t half)
{
	const uint32_t bias = 127;
	uint32_t exponent = half >> 23 & 0xff;
	return half == 0 || (exponent >= bias - 20 && exponent < bias + 24);
}

static bool is_number(uint64_t word)
{
	uint32_t low = (uint32_t)word, high = (uint32_t)(word >> 32);
	if (is_small(low) && is_small(high))
		return true;
	return is_double(word) || (is_float(low) && is_float(high));
}

static bool is_pointer(struct pm_address_map *map, uint64_t word)
{
	const struct pm_address_range *range = pm_address_map_find(map, word);
	return range && (range->use & PM_ADDRESS_WRITABLE);
}

static bool starts_with_text(struct pm_address_map *map, const void *head, size_t size)
{
	uint64_t first = 0;
	if (size >= WORD)
		memcpy(&first, head, WORD);

	/* An address can look like a text of six characters. */
	if (pm_address_map_find(map, first))
		return false;

	struct pm_chunk_text text = pm_chunk_text_find(head, size);
	return text.length > 0 && text.offset == 0;
}

enum pm_content pm_content_of_bytes(struct pm_address_map *map, const void *head, size_t size)
{
	const char *bytes = head;
	size_t words = 0, pointers = 0, numbers = 0;

	if (pm_content_is_zeros(head, size))
		return PM_CONTENT_ZEROS;
	if (starts_with_text(map, head, size))
		return PM_CONTENT_TEXT;

	for (size_t at = 0; at + WORD <= size; at += WORD) {
		uint64_t word;
		memcpy(&word, bytes + at, WORD);
		if (word == 0)
			continue;

		words++;
		if (is_pointer(map, word))
			pointers++;
		else if (is_number(word))
			numbers++;
	}

	if (words > 0 && pointers * 2 >= words)
		return PM_CONTENT_POINTERS;
	if (numbers * 2 > words)
		return PM_CONTENT_NUMBERS;
	return PM_CONTENT_DATA;
}
