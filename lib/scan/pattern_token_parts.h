/* SPDX-License-Identifier: MIT */
/** @file What the files that read tokens of a pattern share. Private to them. */
#ifndef PM_SCAN_PATTERN_TOKEN_PARTS_H
#define PM_SCAN_PATTERN_TOKEN_PARTS_H

#include <string.h>

#include "scan/pattern_token.h"

/** How many bytes of the pattern are left. */
static inline size_t left(const struct pm_tokens *tokens)
{
	return (size_t)(tokens->end - tokens->at);
}

/** The character that comes so many behind the next one; NUL behind the end. */
static inline char ahead(const struct pm_tokens *tokens, size_t distance)
{
	if (left(tokens) <= distance)
		return '\0';
	return tokens->at[distance];
}

/** Whether it is one of some characters; NUL is none. */
static inline bool is_in(char c, const char *characters)
{
	return c != '\0' && strchr(characters, c);
}

/**
 * Moves behind the next `closing` character.
 * @return false where there is none
 */
static inline bool skip_to(struct pm_tokens *tokens, char closing)
{
	const char *found = memchr(tokens->at, closing, left(tokens));
	if (found)
		tokens->at = found + 1;
	return found;
}

/** Moves behind a name or number in brackets of any sort, where there is one. */
static inline void skip_brackets(struct pm_tokens *tokens)
{
	static const char opening[] = "{<'", closing[] = "}>'";
	const char *found = tokens->at < tokens->end && *tokens->at ? strchr(opening, *tokens->at)
	                                                            : NULL;
	if (!found)
		return;
	tokens->at++;
	skip_to(tokens, closing[found - opening]);
}

#endif
