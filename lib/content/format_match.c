/* SPDX-License-Identifier: MIT */
/*
 * Compares texts with formats. The comparison keeps the set of all offsets in the text up to which
 * the first parts of the format fit. Each part of the format changes this set. The time is at most
 * the product of both lengths. It is usually much shorter: the comparison ends when the set is
 * empty.
 */
#include <procmem/format_match.h>

#include <stdint.h>
#include <string.h>

#include "base/minmax.h"

enum {
	LITERALS_MIN = 4,     /* minimum number of letters and digits outside of conversions */
	TEXT_MAX = 1024,      /* maximum number of bytes of a text that are compared */
	NAME_MAX_LENGTH = 64, /* maximum length of a name in braces, with its options */
};

/** What a part of a format fits. */
enum part_kind {
	PART_CHARACTER, /* the same character */
	PART_DIGITS,    /* a decimal number */
	PART_HEX,       /* a hexadecimal number */
	PART_REAL,      /* a number with a fraction or an exponent */
	PART_ANY,       /* any characters */
};

/** A part of a format. */
struct part {
	enum part_kind kind;
	size_t length;  /* bytes of the format */
	char character; /* of PART_CHARACTER */
};

static bool is_alphanumeric(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/** Returns the kind of a conversion of printf(3); PART_CHARACTER if the letter is none. */
static enum part_kind kind_of_letter(char letter)
{
	/* strchr() would find the NUL at the end of the string. */
	if (letter == '\0')
		return PART_CHARACTER;
	if (strchr("diu", letter))
		return PART_DIGITS;
	if (strchr("xXpo", letter))
		return PART_HEX;
	if (strchr("fFeEgGaA", letter))
		return PART_REAL;
	if (strchr("scvqmr", letter))
		return PART_ANY;
	return PART_CHARACTER;
}

/** Parses a conversion of printf(3) after its `%`. Returns a part of length 0 if it is none. */
static struct part parse_percent(const char *format, size_t length)
{
	const struct part none = { .kind = PART_CHARACTER };
	size_t at = 1;

	if (length > 1 && format[1] == '%')
		return (struct part){ PART_CHARACTER, 2, '%' };

	while (at < length && format[at] != '\0' && strchr("#0-+'123456789.*hlLjzt", format[at]))
		at++;
	if (at == length)
		return none;

	enum part_kind kind = kind_of_letter(format[at]);
	if (kind == PART_CHARACTER)
		return none;
	return (struct part){ .kind = kind, .length = at + 1 };
}

/** Parses a conversion in braces. Returns a part of length 0 if it is none. */
static struct part parse_braces(const char *format, size_t length)
{
	const struct part none = { .kind = PART_CHARACTER };
	size_t at = format[0] == '{' ? 0 : 1;

	if (at >= length || format[at] != '{')
		return none;

	size_t max = pm_min_size(length, at + 1 + NAME_MAX_LENGTH);
	for (at++; at < max && format[at] != '}'; at++)
		if (format[at] == '\0' ||
		    (!is_alphanumeric(format[at]) && !strchr("_.:!<>^+#?%[]-", format[at])))
			return none;
	if (at >= max)
		return none;
	return (struct part){ .kind = PART_ANY, .length = at + 1 };
}

/** Parses the part at the start of a format that is not empty. */
static struct part parse_part(const char *format, size_t length)
{
	struct part part = { .length = 0 };

	if (*format == '%')
		part = parse_percent(format, length);
	else if (*format == '{' || *format == '$' || *format == '#')
		part = parse_braces(format, length);

	if (part.length == 0)
		part = (struct part){ PART_CHARACTER, 1, *format };
	return part;
}

/**
 * Counts the letters and digits of a format outside of its conversions.
 * @param conversions  receives the number of conversions
 */
static size_t count_literals(const char *format, size_t length, size_t *conversions)
{
	size_t literals = 0;

	*conversions = 0;
	for (size_t at = 0; at < length;) {
		struct part part = parse_part(format + at, length - at);
		if (part.kind != PART_CHARACTER)
			++*conversions;
		else if (is_alphanumeric(part.character))
			literals++;
		at += part.length;
	}
	return literals;
}

static bool is_format(const char *text, size_t length)
{
	size_t conversions;

	if (length > PM_FORMAT_MAX || (!memchr(text, '%', length) && !memchr(text, '{', length)))
		return false;
	return count_literals(text, length, &conversions) >= LITERALS_MIN && conversions > 0;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

/** Returns whether a text contains quotation marks. */
static bool has_quotes(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (is_quote(text[i]))
			return true;
	return false;
}

size_t pm_format_next(const char *text, size_t length, size_t *at, size_t *format)
{
	if (*at == 0 && !has_quotes(text, pm_min_size(length, PM_FORMAT_MAX))) {
		if (!is_format(text, length))
			return 0;
		*at = length;
		*format = 0;
		return length;
	}

	for (size_t begin = *at; begin < length; begin++) {
		if (!is_quote(text[begin]))
			continue;

		const char *end = memchr(text + begin + 1, text[begin], length - begin - 1);
		if (!end)
			continue;

		size_t inside = (size_t)(end - text) - begin - 1;
		if (is_format(text + begin + 1, inside)) {
			*at = begin + inside + 2;
			*format = begin + 1;
			return inside;
		}
	}
	return 0;
}

/** Returns whether a character can be part of what a conversion has written. */
static bool fits_kind(enum part_kind kind, char c)
{
	switch (kind) {
	case PART_DIGITS:
		return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == ' ';
	case PART_HEX:
		return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ||
		       c == 'x' || c == 'X' || c == ' ';
	case PART_REAL:
		return (c >= '0' && c <= '9') || (c != '\0' && strchr("+-. eEinfaNxpIF", c));
	case PART_CHARACTER:
	case PART_ANY:
	default:
		return true;
	}
}

/** Offsets in a text, as a set. */
struct offsets {
	bool has[TEXT_MAX + 1]; /* has[i]: the offset i is in the set */
	size_t first, end;      /* all offsets of the set are in this range; it is empty if they
	                           are equal */
};

/** Replaces each offset by the next one, where the text has this character. */
static void match_character(struct offsets *offsets, char character, const char *text,
                            size_t length)
{
	size_t end = pm_min_size(offsets->end, length);

	for (size_t i = end; i > offsets->first; i--)
		offsets->has[i] = offsets->has[i - 1] && text[i - 1] == character;
	offsets->has[offsets->first] = false;
	offsets->end = end + 1;

	while (offsets->first < offsets->end && !offsets->has[offsets->first])
		offsets->first++;
	while (offsets->end > offsets->first && !offsets->has[offsets->end - 1])
		offsets->end--;
}

/** Replaces each offset by all offsets that a number, of at least one character, leads to. */
static void match_number(struct offsets *offsets, enum part_kind kind, const char *text,
                         size_t length)
{
	bool before = false;

	for (size_t i = offsets->first; i <= length; i++) {
		bool reached = before;
		bool started = i < offsets->end && offsets->has[i];

		offsets->has[i] = reached;
		before = (reached || started) && i < length && fits_kind(kind, text[i]);
	}
	offsets->end = length + 1;
}

/** Adds all offsets after the first one. */
static void match_any(struct offsets *offsets, size_t length)
{
	for (size_t i = offsets->first; i <= length; i++)
		offsets->has[i] = true;
	offsets->end = length + 1;
}

/**
 * Returns whether a text contains the longest sequence of characters of a format without a
 * conversion. Nearly all texts that do not fit the format are found by this quick test.
 */
static bool has_longest_literal(const char *format, size_t format_length, const char *text,
                                size_t length)
{
	size_t longest = 0, longest_at = 0, begin = 0, next;

	for (size_t at = 0; at < format_length; at = next) {
		struct part part = parse_part(format + at, format_length - at);

		next = at + part.length;
		/* "%%" is two characters of the format, and ends the sequence. */
		if (part.kind != PART_CHARACTER || part.length > 1) {
			begin = next;
		} else if (next - begin > longest) {
			longest = next - begin;
			longest_at = begin;
		}
	}

	return memmem(text, length, format + longest_at, longest);
}

size_t pm_format_match(const char *format, size_t format_length, const char *text, size_t length,
                       size_t *fitting)
{
	struct offsets offsets;
	struct part part;

	length = pm_min_size(length, TEXT_MAX);
	if (!has_longest_literal(format, format_length, text, length))
		return 0;

	offsets.has[0] = true;
	offsets.first = 0;
	offsets.end = 1;

	for (size_t at = 0; at < format_length && offsets.first < offsets.end; at += part.length) {
		part = parse_part(format + at, format_length - at);
		if (part.kind == PART_CHARACTER)
			match_character(&offsets, part.character, text, length);
		else if (part.kind == PART_ANY)
			match_any(&offsets, length);
		else
			match_number(&offsets, part.kind, text, length);
	}

	size_t conversions;
	const bool *has = offsets.has;
	while (offsets.end > offsets.first && !has[offsets.end - 1])
		offsets.end--;
	if (offsets.end == offsets.first)
		return 0;

	*fitting = offsets.end - 1;
	return count_literals(format, format_length, &conversions);
}
