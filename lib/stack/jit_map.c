/* SPDX-License-Identifier: MIT */
/*
 * The lines are read from the last one to the first. An address that has a name is skipped from
 * then on, so the time does not depend on the number of lines that contain the same address.
 */
#include "stack/jit_map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"

/** A line of the file. */
struct line {
	uint64_t start;
	uint64_t size;
	const char *name;
	size_t length;
};

/** Returns the value of a hexadecimal digit, or -1. */
static int digit_of(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	if (character >= 'a' && character <= 'f')
		return character - 'a' + 10;
	if (character >= 'A' && character <= 'F')
		return character - 'A' + 10;
	return -1;
}

/** Parses a hexadecimal number, with or without "0x", and the space after it. */
static bool parse_number(const char **at, const char *end, uint64_t *number)
{
	uint64_t value = 0;
	int digits = 0;

	if (end - *at > 2 && (*at)[0] == '0' && (*at)[1] == 'x')
		*at += 2;
	for (; *at < end && digit_of(**at) >= 0; (*at)++, digits++)
		value = value << 4 | (uint64_t)digit_of(**at);
	if (digits == 0 || digits > 16 || *at == end || **at != ' ')
		return false;

	(*at)++;
	*number = value;
	return true;
}

/** Parses a line without its newline. @return whether it describes code that has a name */
static bool parse_line(const char *at, const char *end, struct line *line)
{
	if (!parse_number(&at, end, &line->start) || !parse_number(&at, end, &line->size))
		return false;

	const char *nul = memchr(at, '\0', (size_t)(end - at));
	line->name = at;
	line->length = pm_min((size_t)((nul ? nul : end) - at), (size_t)PM_JIT_NAME_MAX);

	return line->size > 0 && line->length > 0;
}

/** Returns the position of the first address that is not below a value. */
static size_t first_from(const struct pm_jit_name *names, size_t count, uint64_t value)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names[middle].address < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * Returns the first position, from a position on, whose address has no name. Shortens the links on
 * the way.
 */
static size_t next_unnamed(uint32_t *next, size_t position)
{
	while (next[position] != position) {
		next[position] = next[next[position]];
		position = next[position];
	}
	return position;
}

/**
 * Removes return type and arguments of a Java method, such as "void shop.Order.add(int)". Names of
 * other languages do not have this form.
 */
static void shorten(struct line *line)
{
	const char *open = memchr(line->name, '(', line->length);
	const char *space = memchr(line->name, ' ', line->length);

	if (!open || !space || space > open || line->name[line->length - 1] != ')')
		return;

	size_t length = (size_t)(open - space) - 1;
	if (length == 0 || memchr(space + 1, ' ', length) || !memchr(space + 1, '.', length))
		return;

	line->name = space + 1;
	line->length = length;
}

/**
 * Removes what V8 writes before the name of a function of JavaScript: "JS:" and a character that
 * changes whenever the function is compiled again.
 */
static void shorten_javascript(struct line *line)
{
	static const char mark[] = "JS:";
	size_t skipped = sizeof mark;

	if (line->length <= skipped || memcmp(line->name, mark, sizeof mark - 1) != 0 ||
	    !strchr("~^+*'", line->name[sizeof mark - 1]))
		return;

	/* A function without a name has only a space before its place. */
	skipped += line->name[skipped] == ' ' && line->length > skipped + 1;
	line->name += skipped;
	line->length -= skipped;
}

/** Gives the name of a line to the addresses in it that have none. */
static void apply(struct line *line, struct pm_jit_name *names, size_t count, uint32_t *next)
{
	size_t at = next_unnamed(next, first_from(names, count, line->start));

	shorten(line);
	shorten_javascript(line);
	for (; at < count && names[at].address - line->start < line->size;
	     at = next_unnamed(next, at)) {
		names[at].name = line->name;
		names[at].length = line->length;
		next[at] = (uint32_t)at + 1;
	}
}

int pm_jit_map_find(const char *text, size_t length, struct pm_jit_name *names, size_t count,
                    struct pm_error *error)
{
	uint32_t *next = calloc(count + 1, sizeof *next);
	if (!next)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i <= count; i++)
		next[i] = (uint32_t)i;

	/* A last line without a newline is being written. */
	const char *end = memrchr(text, '\n', length);
	while (end && end > text) {
		struct line line;
		const char *newline = memrchr(text, '\n', (size_t)(end - text));
		const char *start = newline ? newline + 1 : text;

		if (parse_line(start, end, &line))
			apply(&line, names, count, next);
		end = newline ? newline : text;
	}

	free(next);
	return 0;
}
