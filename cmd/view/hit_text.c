/* SPDX-License-Identifier: MIT */
#include "view/hit_text.h"

#include "base/minmax.h"
#include "base/utf8.h"

enum { UTF8_MAX = 4, TAB_COLUMNS = 4 /* width of \x09 */ };

/** One character beside a hit. */
struct character {
	size_t bytes; /* number of bytes in memory; 0 if the text has ended */
	size_t columns;
};

static uint32_t unit16(const uint8_t *bytes, bool big)
{
	uint32_t first = bytes[0], second = bytes[1];
	return big ? first << 8 | second : second << 8 | first;
}

static bool is_big(enum pm_encoding encoding)
{
	return encoding == PM_ENCODING_UTF16BE;
}

/**
 * Returns the character for an ASCII code point. For other code points, and for control characters
 * except the tab, the result has 0 bytes.
 */
static struct character ascii(uint32_t code, size_t bytes)
{
	if (code == '\t')
		return (struct character){ bytes, TAB_COLUMNS };
	if (code < ' ' || code > '~')
		return (struct character){ 0, 0 };
	return (struct character){ bytes, 1 };
}

/**
 * Returns the character that the bytes encode in UTF-8. If they are not exactly one printable
 * character, the result has 0 bytes.
 */
static struct character character_of(const uint8_t *bytes, size_t size)
{
	uint32_t code;
	const char *text = (const char *)bytes;

	if (size == 1)
		return ascii(bytes[0], 1);
	if (utf8_decode(text, size, &code) != size || utf8_is_control(code))
		return (struct character){ 0, 0 };
	return (struct character){ size, utf8_columns(text, size) };
}

/**
 * Finds the first character of the bytes after a hit. In UTF-16 only ASCII counts as text, because
 * nearly all pairs of bytes are valid characters.
 */
static struct character first_of(enum pm_encoding encoding, const uint8_t *bytes, size_t size)
{
	struct character found = { 0, 0 };

	if (pm_encoding_unit(encoding) > size)
		return found;
	if (pm_encoding_unit(encoding) == 2)
		return ascii(unit16(bytes, is_big(encoding)), 2);

	for (size_t length = 1; length <= size && length <= UTF8_MAX && found.bytes == 0; length++)
		found = character_of(bytes, length);
	return found;
}

/**
 * Finds the last character of the bytes before a hit; `end` is the address after these bytes. As in
 * first_of(), only ASCII counts as text in UTF-16.
 */
static struct character last_of(enum pm_encoding encoding, const uint8_t *end, size_t size)
{
	struct character found = { 0, 0 };

	if (pm_encoding_unit(encoding) > size)
		return found;
	if (pm_encoding_unit(encoding) == 2)
		return ascii(unit16(end - 2, is_big(encoding)), 2);

	for (size_t length = 1; length <= size && length <= UTF8_MAX && found.bytes == 0; length++)
		found = character_of(end - length, length);
	return found;
}

/**
 * Finds the next character on one side of a hit, beyond the `have` bytes that are already included.
 */
static struct character next_of(const struct pm_hit *hit, bool before, size_t have)
{
	if (before)
		return last_of(hit->encoding, hit->bytes - have, hit->before - have);
	return first_of(hit->encoding, hit->bytes + hit->size + have, hit->after - have);
}

static struct hit_side measure(const struct pm_hit *hit, bool before, size_t columns)
{
	struct hit_side side = { 0 };
	struct character next;

	while ((next = next_of(hit, before, side.bytes)).bytes > 0) {
		if (next.columns > columns - side.columns) {
			side.more = true;
			break;
		}

		side.bytes += next.bytes;
		side.columns += next.columns;
	}

	return side;
}

struct hit_side hit_text_before(const struct pm_hit *hit, size_t columns)
{
	return measure(hit, true, columns);
}

struct hit_side hit_text_after(const struct pm_hit *hit, size_t columns)
{
	return measure(hit, false, columns);
}

void hit_text_around(const struct pm_hit *hit, size_t columns, struct hit_side sides[2])
{
	size_t half = columns / 2;

	sides[0] = hit_text_before(hit, columns);
	sides[1] = hit_text_after(hit, columns);
	if (sides[0].columns + sides[1].columns <= columns)
		return;

	size_t room = half;

	if (sides[1].columns < half)
		room = columns - sides[1].columns;
	if (sides[0].columns > half)
		sides[0] = hit_text_before(hit, room);
	sides[1] = hit_text_after(hit, columns - sides[0].columns);
}

static void add_code(struct text *text, uint32_t code)
{
	char bytes[UTF8_MAX];
	text_bytes(text, bytes, utf8_encode(code, bytes));
}

static void add_byte(struct text *text, uint8_t byte)
{
	text_string(text, "\\x");
	text_hex(text, byte, 2);
}

/**
 * Decodes the next character of UTF-16.
 * @return number of bytes used, 0 if the bytes are not a character
 */
static size_t decode16(const uint8_t *bytes, size_t size, bool big, uint32_t *code)
{
	if (size < 2)
		return 0;

	uint32_t first = unit16(bytes, big);

	*code = first;
	if (first < 0xd800 || first > 0xdfff)
		return 2;
	if (first > 0xdbff || size < 4)
		return 0;

	uint32_t second = unit16(bytes + 2, big);

	if (second < 0xdc00 || second > 0xdfff)
		return 0;

	*code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
	return 4;
}

void hit_text_decode(enum pm_encoding encoding, const uint8_t *bytes, size_t size,
                     struct text *text)
{
	while (size > 0) {
		uint32_t code;
		size_t used = decode16(bytes, size, is_big(encoding), &code);

		if (used > 0) {
			add_code(text, code);
		} else {
			used = pm_min_size(size, 2);
			for (size_t i = 0; i < used; i++)
				add_byte(text, bytes[i]);
		}

		bytes += used;
		size -= used;
	}
}

void hit_text_add(enum pm_encoding encoding, const uint8_t *bytes, size_t size, struct text *text)
{
	struct text decoded = { 0 };

	if (pm_encoding_unit(encoding) != 2) {
		utf8_escape(text, (const char *)bytes, size);
		return;
	}

	hit_text_decode(encoding, bytes, size, &decoded);
	utf8_escape(text, decoded.bytes, decoded.length);
	text_deinit(&decoded);
}
