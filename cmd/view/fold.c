/* SPDX-License-Identifier: MIT */
#include "view/fold.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	PERIOD_MAX = 32,  /* maximum length of a group that is repeated, in bytes */
	FOLDED_MIN = 48,  /* minimum length of a sequence that is folded, in bytes; the text that
	                     replaces a shorter one would hardly be shorter */
	REPEATED_MIN = 4, /* minimum number of equal groups in a sequence */
	SHOWN_RUN = 4,    /* number of characters shown of a sequence of one character */
	SHOWN_GROUPS = 2, /* number of groups shown of a sequence of longer groups */
};

/** Returns whether a byte is the second or a later byte of a character in UTF-8. */
static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/**
 * Returns the length of the sequence at the start of a text that consists of equal groups.
 *
 * @param period  length of a group in bytes
 * @return        bytes, a multiple of `period`; 0 if the sequence is too short to be folded
 */
static size_t repeated(const char *text, size_t length, size_t period)
{
	size_t end = period;

	while (end < length && text[end] == text[end - period])
		end++;

	end -= end % period;
	/* Do not cut a character that begins like the first one of the group. */
	while (end > 0 && end < length && is_continuation(text[end]))
		end -= period;
	if (end < FOLDED_MIN || end / period < REPEATED_MIN)
		return 0;
	return end;
}

/** Finds the shortest group that is repeated at the start of a text. */
static size_t find_period(const char *text, size_t length, size_t *sequence)
{
	if (is_continuation(*text))
		return 0;

	for (size_t period = 1; period <= PERIOD_MAX && period < length; period++) {
		if (text[period] != *text)
			continue;
		*sequence = repeated(text, length, period);
		if (*sequence > 0)
			return period;
	}
	return 0;
}

/** Adds what replaces a sequence: `BBBB… (65,536 × B)`. */
static void add_folded(struct text *output, const char *text, size_t period, size_t sequence)
{
	size_t shown = period * (period == 1 ? SHOWN_RUN : SHOWN_GROUPS);

	text_bytes(output, text, shown);
	text_string(output, "\xe2\x80\xa6 (");
	text_grouped(output, sequence / period);
	text_string(output, " \xc3\x97 ");
	text_bytes(output, text, period);
	text_char(output, ')');
}

void fold_repetitions(struct text *output, const char *bytes, size_t length)
{
	for (size_t at = 0; at < length;) {
		size_t sequence = 0;
		size_t period = find_period(bytes + at, length - at, &sequence);

		if (period == 0) {
			text_char(output, bytes[at++]);
			continue;
		}

		add_folded(output, bytes + at, period, sequence);
		at += sequence;
		if (at < length)
			text_char(output, ' ');
	}
}
