/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include "base/minmax.h"

/** A range of code points, both ends included. */
struct code_range {
	uint32_t first, last;
};

static const struct code_range controls[] = {
	{ 0x00, 0x1f },     { 0x7f, 0x9f },     { 0x61c, 0x61c },   { 0x200e, 0x200f },
	{ 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff },
};

/**
 * Characters that take no columns: combining marks and joiners (Unicode categories Mn, Me, Cf).
 * Only blocks that occur in file names are listed.
 */
static const struct code_range narrow[] = {
	{ 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },   { 0x610, 0x61a },
	{ 0x64b, 0x65f },   { 0x200b, 0x200d }, { 0x20d0, 0x20ff }, { 0x1ab0, 0x1aff },
	{ 0x1dc0, 0x1dff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
};

/** Characters that take two columns: East Asian Wide and Fullwidth (Unicode UAX #11), and emoji. */
static const struct code_range wide[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x4dbf },   { 0x4e00, 0xa4cf },
	{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
	{ 0x20000, 0x3fffd },
};

static bool is_within(const struct code_range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count; i++) {
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	}
	return false;
}

#define IS_WITHIN(ranges, code) is_within(ranges, sizeof(ranges) / sizeof((ranges)[0]), code)

size_t utf8_decode(const char *bytes, size_t length, uint32_t *code)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)bytes;
	size_t count;

	if (at[0] < 0x80) {
		*code = at[0];
		return 1;
	}

	if ((at[0] & 0xe0) == 0xc0)
		count = 2;
	else if ((at[0] & 0xf0) == 0xe0)
		count = 3;
	else if ((at[0] & 0xf8) == 0xf0)
		count = 4;
	else
		return 0;

	if (count > length)
		return 0;

	uint32_t value = at[0] & (0x7fu >> count);

	for (size_t i = 1; i < count; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (at[i] & 0x3fu);
	}

	if (value < smallest[count] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;

	*code = value;
	return count;
}

size_t utf8_encode(uint32_t code, char *bytes)
{
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t count = 4;

	if (code < 0x80)
		count = 1;
	else if (code < 0x800)
		count = 2;
	else if (code < 0x10000)
		count = 3;

	for (size_t i = count; i-- > 1; code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3f));
	bytes[0] = (char)(leads[count] | code);

	return count;
}

bool utf8_is_control(uint32_t code)
{
	return IS_WITHIN(controls, code);
}

/**
 * Returns the number of leading bytes that are printable ASCII. Most texts consist only of such
 * bytes, so they need no decoding.
 */
static size_t plain_prefix(const char *bytes, size_t length)
{
	size_t count = 0;
	while (count < length && bytes[count] >= 0x20 && bytes[count] < 0x7f)
		count++;
	return count;
}

static void escape_byte(struct text *text, char byte)
{
	text_bytes(text, "\\x", 2);
	text_hex(text, (unsigned char)byte, 2);
}

void utf8_escape(struct text *text, const char *bytes, size_t length)
{
	/* If the length is 0, `bytes` may be NULL, and pointer arithmetic on NULL is undefined. */
	while (length > 0) {
		size_t plain = plain_prefix(bytes, length);

		text_bytes(text, bytes, plain);
		bytes += plain;
		length -= plain;
		if (length == 0)
			return;

		uint32_t code;
		size_t count = utf8_decode(bytes, length, &code);

		if (count > 0 && !utf8_is_control(code)) {
			text_bytes(text, bytes, count);
		} else {
			count = pm_max_size(count, 1);
			for (size_t i = 0; i < count; i++)
				escape_byte(text, bytes[i]);
		}

		bytes += count;
		length -= count;
	}
}

/** Returns the width of one character in terminal columns. */
static size_t code_columns(uint32_t code)
{
	if (code < narrow[0].first)
		return 1;
	if (IS_WITHIN(narrow, code))
		return 0;
	return IS_WITHIN(wide, code) ? 2 : 1;
}

/**
 * Adds up the columns of characters until the next character would exceed `limit`. An invalid byte
 * counts as one column.
 *
 * @param limit    the maximum number of columns
 * @param columns  receives the number of columns
 * @return         number of bytes whose columns were added
 */
static size_t walk(const char *bytes, size_t length, size_t limit, size_t *columns)
{
	size_t at = 0;

	*columns = 0;
	while (at < length) {
		uint32_t code;
		size_t count = utf8_decode(bytes + at, length - at, &code);
		size_t width = count ? code_columns(code) : 1;

		if (width > limit - *columns)
			break;

		*columns += width;
		at += pm_max_size(count, 1);
	}

	return at;
}

size_t utf8_columns(const char *bytes, size_t length)
{
	size_t columns = plain_prefix(bytes, length);
	size_t rest;

	if (columns == length)
		return length;

	walk(bytes + columns, length - columns, SIZE_MAX, &rest);
	return columns + rest;
}

size_t utf8_fit(const char *bytes, size_t length, size_t columns)
{
	size_t used;
	return walk(bytes, length, columns, &used);
}

void utf8_escape_end(struct text *text, const char *bytes, size_t length, size_t columns)
{
	struct text escaped = { 0 };
	utf8_escape(&escaped, bytes, length);

	size_t all = utf8_columns(escaped.bytes, escaped.length), cut = 0;
	if (all > columns) {
		cut = utf8_fit(escaped.bytes, escaped.length, all - columns + 1);
		/* A character of two columns may remain. */
		while (utf8_columns(escaped.bytes + cut, escaped.length - cut) >= columns &&
		       cut < escaped.length)
			cut += utf8_fit(escaped.bytes + cut, escaped.length - cut, 2);
		text_string(text, "\xe2\x80\xa6");
	}

	text_bytes(text, escaped.bytes + cut, escaped.length - cut);
	text_deinit(&escaped);
}
