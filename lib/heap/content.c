/* SPDX-License-Identifier: MIT */
#include "heap/content.h"

#include "heap/chunk_text.h"

enum { SMALL_BITS = 24 }; /* integers of at most this number of bits count as numbers */

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

static bool is_zeros(const struct pm_head *head)
{
	uint64_t all = 0;
	for (size_t i = 0; i < PM_HEAD_WORDS; i++)
		all |= head->words[i];
	return all == 0;
}

static bool starts_with_text(struct pm_address_map *map, const struct pm_head *head)
{
	/* An address can look like a text of six characters. */
	return pm_chunk_text_at_start(head->words, head->size).length > 0 &&
	       !pm_address_map_find(map, head->words[0]);
}

/** Tests whether a word is an address of mapped memory, as a pointer to a structure has it. */
static bool is_pointer(struct pm_address_map *map, uint64_t word)
{
	return word % sizeof word == 0 && pm_address_map_find(map, word);
}

/**
 * Tests whether a chunk starts as the node of a red-black tree of C++ (std::map) does: the colour,
 * an int that is 0 or 1, four bytes that were not set, and the pointers to the node above and to
 * the two below, of which the last two may be 0. The other words alone would give nodes of one map
 * several types.
 */
static bool is_tree_node(struct pm_address_map *map, const struct pm_head *head)
{
	const uint64_t *words = head->words;

	if (head->size < 4 * sizeof *words || (uint32_t)words[0] > 1 || !is_pointer(map, words[1]))
		return false;

	return (words[2] == 0 || is_pointer(map, words[2])) &&
	       (words[3] == 0 || is_pointer(map, words[3]));
}

enum pm_content pm_content_of_head(struct pm_address_map *map, const struct pm_head *head)
{
	size_t words = 0, pointers = 0, numbers = 0;

	if (is_zeros(head))
		return PM_CONTENT_ZEROS;
	if (starts_with_text(map, head))
		return PM_CONTENT_TEXT;
	if (is_tree_node(map, head))
		return PM_CONTENT_POINTERS;

	for (size_t i = 0; i < PM_HEAD_WORDS; i++) {
		uint64_t word = head->words[i];
		if (word == 0)
			continue;

		words++;
		if (pm_address_map_find(map, word))
			pointers++;
		else if (is_number(word))
			numbers++;

		/* The other words cannot change the result any more. */
		if (pointers >= PM_HEAD_WORDS / 2 || numbers > PM_HEAD_WORDS / 2)
			break;
	}

	if (pointers * 2 >= words)
		return PM_CONTENT_POINTERS;
	if (numbers * 2 > words)
		return PM_CONTENT_NUMBERS;
	return PM_CONTENT_DATA;
}
