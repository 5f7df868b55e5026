/* SPDX-License-Identifier: MIT */
#include <procmem/typo.h>

#include <stdbool.h>
#include <string.h>

#include "base/minmax.h"

/*
 * Maximum length of a word in bytes; longer words get no suggestion. The bound allows tables of
 * fixed size on the stack.
 */
enum { WORD_MAX = 64 };

/**
 * Converts an ASCII letter to lower case. Unlike tolower(3), the result does not depend on the
 * locale.
 */
static char folded(char c)
{
	if (c < 'A' || c > 'Z')
		return c;
	return (char)(c | ('a' ^ 'A'));
}

static bool starts_with(const char *text, const char *prefix)
{
	while (*prefix != '\0' && folded(*text) == folded(*prefix)) {
		text++;
		prefix++;
	}
	return *prefix == '\0';
}

/**
 * Returns the minimum number of edits that turn one word into the other (optimal string alignment).
 * An edit changes, adds or removes a letter, or swaps two adjacent letters. Row i, column j of the
 * table is the distance between the first i letters of `a` and the first j letters of `b`. Only the
 * current row and the two rows above are stored, since a row is computed from these two.
 */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][WORD_MAX + 1];

	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;

	for (size_t i = 1; i <= a_length; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			char letter = folded(a[i - 1]), other = folded(b[j - 1]);
			row[j] = pm_min_size(pm_min_size(above[j], row[j - 1]) + 1,
			                     above[j - 1] + (letter != other));
			if (i > 1 && j > 1 && letter == folded(b[j - 2]) &&
			    folded(a[i - 2]) == other)
				row[j] = pm_min_size(row[j], two_above[j - 2] + 1);
		}
	}

	return rows[a_length % 3][b_length];
}

const char *pm_typo_nearest(const char *word, const char *const *candidates, size_t count)
{
	const char *best = NULL;
	size_t length = strnlen(word, WORD_MAX + 1);
	if (length == 0 || length > WORD_MAX)
		return NULL;

	size_t limit = (length + 1) / 3;
	for (size_t i = 0; i < count && limit > 0; i++) {
		const char *candidate = candidates[i];
		if (!candidate)
			continue;

		size_t other = strnlen(candidate, WORD_MAX + 1);
		if (other == 0 || other > WORD_MAX)
			continue;

		size_t steps = distance(word, length, candidate, other);
		if (length >= 2 && starts_with(candidate, word))
			steps = pm_min_size(steps, 1);

		if (steps < limit + (best == NULL)) {
			best = candidate;
			limit = steps;
		}
	}

	return best;
}
