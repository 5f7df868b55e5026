/* SPDX-License-Identifier: MIT */
/* Tokens that are characters: escapes and classes. */
#include "scan/pattern_escape.h"

/** Moves behind `most` hexadecimal or decimal digits at the most. */
static void skip_digits(struct pm_tokens *tokens, size_t most, const char *digits)
{
	for (; most > 0 && tokens->at < tokens->end && is_in(*tokens->at, digits); most--)
		tokens->at++;
}

enum pm_token_type pm_token_escape(struct pm_tokens *tokens, char c, bool *literal)
{
	if (is_in(c, "bBAZz"))
		return PM_TOKEN_EDGE;
	if (is_in(c, "KE"))
		return PM_TOKEN_NOTHING;
	if (is_in(c, "GXRC"))
		return PM_TOKEN_UNKNOWN;

	if (c == 'g' || c == 'k') {
		skip_digits(tokens, 1, "+-");
		skip_digits(tokens, SIZE_MAX, "0123456789");
		skip_brackets(tokens);
		return PM_TOKEN_REFERENCE;
	}

	if (c >= '1' && c <= '9') {
		skip_digits(tokens, 2, "0123456789");
		return PM_TOKEN_REFERENCE;
	}

	bool bracket = tokens->at < tokens->end && *tokens->at == '{';
	/* "\N{2}" is a class and a quantifier. */
	if (bracket && (is_in(c, "pPox") || (c == 'N' && left(tokens) > 1 && tokens->at[1] == 'U')))
		skip_brackets(tokens);
	else if (c == 'x')
		skip_digits(tokens, 2, "0123456789abcdefABCDEF");
	else if (c == '0')
		skip_digits(tokens, 2, "01234567");
	else if (is_in(c, "pPc") && tokens->at < tokens->end)
		tokens->at++;

	*literal = !is_in(c, "dDwWsShHvVNpP");
	return PM_TOKEN_CHARACTER;
}

enum pm_token_type pm_token_class(struct pm_tokens *tokens)
{
	bool quoted = false;

	if (tokens->at < tokens->end && *tokens->at == '^')
		tokens->at++;
	for (const char *begin = tokens->at; tokens->at < tokens->end; tokens->at++) {
		const char *at = tokens->at;
		char next = ahead(tokens, 1);
		if (*at == '\\' && next == (quoted ? 'E' : 'Q')) {
			quoted = !quoted;
			tokens->at++;
			/* A bracket behind "[\Q\E" is the first character still. */
			begin = begin == at ? at + 2 : begin;
		} else if (quoted)
			continue;
		else if (*at == ']' && at != begin) {
			tokens->at++;
			return PM_TOKEN_CHARACTER;
		} else if (*at == '\\')
			tokens->at++;
		else if (*at == '[' && is_in(next, ":.=")) {
			/* "[[:<:]]" matches no character at all. */
			if (left(tokens) > 2 && is_in(at[2], "<>"))
				return PM_TOKEN_UNKNOWN;

			const char *name = at + 2;
			while (name < tokens->end &&
			       ((*name >= 'a' && *name <= 'z') || *name == '^'))
				name++;

			if (tokens->end - name >= 2 && name[0] == next && name[1] == ']')
				tokens->at = name + 1;
		}
	}

	return PM_TOKEN_UNKNOWN;
}
