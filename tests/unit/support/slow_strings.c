/* SPDX-License-Identifier: MIT */
#include "support/slow_strings.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
	const struct hit *first = a, *second = b;
	int order = (first->start > second->start) - (first->start < second->start);
	return order ? order : (int)first->encoding - (int)second->encoding;
}

void sort_hits(struct hit_list *hits)
{
	if (hits->count)
		qsort(hits->items, hits->count, sizeof *hits->items, by_start);
}

static bool is_printable(uint32_t c, bool white_space)
{
	return (c >= 0x20 && c <= 0x7e) || c == '\t' || (white_space && c >= 0x09 && c <= 0x0d);
}

/**
 * Returns the bytes of the UTF-8 character at `at`, 0 for none. Written after RFC 3629: by the
 * values of characters, not by tables of bytes.
 */
static size_t utf8_character(const uint8_t *bytes, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t size = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
	if (bytes[0] < 0xc0 || bytes[0] > 0xf7 || size > left)
		return 0;

	uint32_t c = bytes[0] & (0xffu >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (bytes[i] & 0x3fu);
	}

	return c >= least[size] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) && c >= 0xa0 ? size
	                                                                                    : 0;
}

/** Returns the length in bytes of the character at the start, 0 for none. */
static size_t character(enum pm_encoding encoding, const uint8_t *bytes, size_t left,
                        bool white_space)
{
	size_t unit = pm_encoding_unit(encoding);
	if (left < unit)
		return 0;

	uint32_t c = bytes[0];
	bool little = encoding == PM_ENCODING_UTF16LE || encoding == PM_ENCODING_UTF32LE;
	for (size_t i = 1; i < unit; i++)
		c = little ? c | (uint32_t)bytes[i] << (8 * i) : c << 8 | bytes[i];

	if (is_printable(c, white_space))
		return unit;
	if (encoding == PM_ENCODING_8BIT)
		return c >= 0x80 ? 1 : 0;

	return encoding == PM_ENCODING_UTF8 ? utf8_character(bytes, left) : 0;
}

static void add_strings(enum pm_encoding encoding, const struct pm_strings_options *options,
                        const uint8_t *bytes, size_t size, uint64_t address, struct hit_list *hits)
{
	size_t at = 0, unit = pm_encoding_unit(encoding);
	while (at < size) {
		size_t end = at, count = 0, step;

		if (options->aligned && (address + at) % unit != 0) {
			at++;
			continue;
		}

		while (end < size && (step = character(encoding, bytes + end, size - end,
		                                       options->white_space)) > 0) {
			end += step;
			count++;
		}

		if (count >= options->min_length)
			hit_list_add(hits, (struct hit){ at, end - at, 0, encoding, false });
		at = count > 0 ? end : at + 1;
	}
}

void slow_strings(const struct pm_strings_options *options, const uint8_t *bytes, size_t size,
                  uint64_t address, struct hit_list *hits)
{
	for (unsigned i = 0; i < PM_ENCODING_COUNT; i++) {
		if (options->encodings & PM_ENCODING_BIT(i))
			add_strings(i, options, bytes, size, address, hits);
	}
	sort_hits(hits);
}
