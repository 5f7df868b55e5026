/* SPDX-License-Identifier: MIT */
#include "shell/examine.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include <procmem/number.h>

#include "base/minmax.h"
#include "base/utf8.h"

/* Maximum length of a string in bytes, as in gdb. The rest of a longer string is the next value. */
enum { STRING_MAX = 200 };

/**
 * Parses one letter of a format.
 *
 * @param sized  set to true if the letter is a size
 * @return       0 or -1
 */
static int parse_letter(struct examine *examine, char letter, bool *sized, struct pm_error *error)
{
	static const char sizes[] = "bhwg";
	const char *size = strchr(sizes, letter);

	if (size) {
		examine->size = 1u << (size - sizes);
		*sized = true;
	} else if (letter == 'i') {
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'x' cannot show instructions (i); use gdb or 'objdump -d'");
	} else if (!strchr("xduotcsfa", letter)) {
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"'%c' is neither a format nor a size of 'x': formats are x d u o t c s f "
			"a, sizes are b h w g",
			letter);
	} else {
		examine->format = letter;
	}

	return 0;
}

/**
 * Sets the size of a value if the text has none, and checks that the format has this size. Without
 * a size, format c has 1 byte, and format a has 8 bytes. Format f has 8 bytes, unless the previous
 * size was 4 bytes.
 * @param sized  whether the text has a size
 */
static int set_size(struct examine *examine, bool sized, struct pm_error *error)
{
	char format = examine->format;

	if (!sized && format == 'c')
		examine->size = 1;
	else if (!sized && (format == 'a' || (format == 'f' && examine->size < 4)))
		examine->size = 8;
	else if (sized && format == 's' && examine->size != 1)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"'x/s' shows only strings of one-byte characters; for UTF-16, use "
			"'strings -e l'");

	return 0;
}

int shell_examine_parse(struct examine *examine, const char *text, struct pm_error *error)
{
	struct examine made = *examine;
	bool sized = false;

	made.count = 1;
	for (const char *at = text; *at != '\0';) {
		char digits[8];
		uint64_t count;
		size_t length = strspn(at, "0123456789");

		if (length == 0) {
			if (parse_letter(&made, *at++, &sized, error) < 0)
				return -1;
			continue;
		}

		if (length >= sizeof digits)
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "%.*s values are too many for 'x'; use 'dump'",
			                    (int)length, at);

		memcpy(digits, at, length);
		digits[length] = '\0';
		if (pm_parse_decimal(digits, SIZE_MAX, &count, error) < 0)
			return -1;

		made.count = (size_t)count;
		at += length;
	}

	if (set_size(&made, sized, error) < 0)
		return -1;

	*examine = made;
	return 0;
}

size_t shell_examine_per_line(const struct examine *examine)
{
	/* The symbol and the region of an address use the rest of the line. */
	if (examine->format == 's' || examine->format == 'a')
		return 1;
	if (examine->format == 't' && examine->size == 8)
		return 2;
	return examine->size <= 2 ? 8 : 16 / examine->size;
}

/** Adds a character as format c of gdb does. */
static void put_char(unsigned char c, struct text *text)
{
	static const char controls[] = "\a\b\t\n\v\f\r", letters[] = "abtnvfr";
	const char *control = NULL;

	if (c != '\0')
		control = strchr(controls, c);
	if (control)
		text_format(text, "\\%c", letters[control - controls]);
	else if (c == '\'' || c == '\\')
		text_format(text, "\\%c", c);
	else if (c >= ' ' && c <= '~')
		text_char(text, (char)c);
	else
		text_format(text, "\\%03o", c);
}

static void put_binary(uint64_t value, unsigned bits, struct text *text)
{
	for (unsigned bit = bits; bit-- > 0;)
		text_char(text, value >> bit & 1 ? '1' : '0');
}

/** Adds a floating-point number with enough digits to distinguish it from all others. */
static void put_float(const void *bytes, unsigned size, struct text *text)
{
	float narrow = 0;
	double value = 0;
	uint64_t bits = 0;
	unsigned mantissa_bits = 52;
	int digits = 17;

	memcpy(&bits, bytes, size);
	if (size == 4) {
		mantissa_bits = 23;
		digits = 9;
		memcpy(&narrow, bytes, size);
		value = (double)narrow;
	} else {
		memcpy(&value, bytes, size);
	}

	if (isnan(value))
		text_format(text, "%snan(0x%" PRIx64 ")", bits >> (size * 8 - 1) ? "-" : "",
		            bits & ((UINT64_C(1) << mantissa_bits) - 1));
	else
		text_format(text, "%.*g", digits, value);
}

/** Prints a floating-point number, or an integer if its size is not that of such a number. */
static void put_float_or_integer(const void *bytes, unsigned size, int64_t integer,
                                 struct text *text)
{
	if (size >= 4)
		put_float(bytes, size, text);
	else
		text_format(text, "%" PRId64, integer);
}

void shell_examine_put_value(const struct examine *examine, const void *bytes, struct text *text)
{
	uint64_t value = 0;
	unsigned size = examine->size;
	unsigned shift = 64 - size * 8;

	memcpy(&value, bytes, size);

	int64_t extended = (int64_t)(value << shift) >> shift;

	switch (examine->format) {
	case 'x':
		text_string(text, "0x");
		text_hex(text, value, size * 2);
		break;
	case 'd':
		text_format(text, "%" PRId64, extended);
		break;
	case 'f':
		put_float_or_integer(bytes, size, extended, text);
		break;
	case 'u':
		text_decimal(text, value);
		break;
	case 'o':
		text_format(text, "%#" PRIo64, value);
		break;

	case 't':
		put_binary(value, size * 8, text);
		break;
	case 'c':
		text_format(text, "%d '", (int)(signed char)value);
		put_char((unsigned char)value, text);
		text_char(text, '\'');
		break;
	default:
		text_string(text, "0x");
		text_hex(text, (uint64_t)extended, 1);
		break;
	}
}

size_t shell_examine_put_string(const char *bytes, size_t length, struct text *text)
{
	size_t at = 0;
	size_t max = pm_min_size(length, STRING_MAX);
	size_t start = text->length;

	text_char(text, '"');
	while (at < max && bytes[at] != '\0') {
		uint32_t code;
		size_t size = pm_max_size(utf8_decode(bytes + at, length - at, &code), 1);

		if (bytes[at] == '"' || bytes[at] == '\\')
			text_char(text, '\\');
		utf8_escape(text, bytes + at, size);
		at += size;
	}
	text_char(text, '"');

	if (at < length && bytes[at] == '\0')
		return at + 1;
	if (at >= STRING_MAX) {
		text_string(text, "...");
		return at;
	}

	text->length = start;
	return 0;
}
