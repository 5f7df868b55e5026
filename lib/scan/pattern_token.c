/* SPDX-License-Identifier: MIT */
#include "scan/pattern_escape.h"
#include "scan/pattern_token_parts.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

void pm_tokens_init(struct pm_tokens *tokens, const char *pattern, size_t length, unsigned options)
{
	*tokens = (struct pm_tokens){ .at = pattern,
		                      .end = pattern + length,
		                      .utf = options & PCRE2_UTF };
	tokens->options = options &
	                  (PCRE2_CASELESS | PCRE2_DOTALL | PCRE2_MULTILINE | PCRE2_EXTENDED);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/**
 * A number; `at` moves behind it.
 * @return false where there is none
 */
static bool number(const char **at, const char *end, size_t *value)
{
	size_t count = 0;
	*value = 0;
	for (; *at < end && is_digit(**at) && count < 6; ++*at, count++)
		*value = *value * 10 + (size_t)(**at - '0');
	return count > 0;
}

/**
 * `{2}`, `{2,}` or `{2,3}`; `at` is behind the brace. Versions of PCRE2 differ about what else is a
 * quantifier.
 */
static enum pm_token_type braces(struct pm_tokens *tokens, struct pm_token *token)
{
	const char *at = tokens->at;
	if (at < tokens->end && (*at == ',' || *at == ' ' || *at == '\t'))
		return PM_TOKEN_UNKNOWN;

	token->literal = true;
	if (!number(&at, tokens->end, &token->min))
		return PM_TOKEN_CHARACTER;

	token->max = token->min;
	if (at < tokens->end && *at == ',') {
		at++;
		if (!number(&at, tokens->end, &token->max))
			token->max = PM_TOKEN_UNBOUNDED;
	}

	if (at == tokens->end || *at != '}')
		return at < tokens->end && (*at == ' ' || *at == '\t') ? PM_TOKEN_UNKNOWN
		                                                       : PM_TOKEN_CHARACTER;

	tokens->at = at + 1;
	return PM_TOKEN_REPEAT;
}

/** Options within brackets, from behind "(?" on. */
static enum pm_token_type options(struct pm_tokens *tokens)
{
	static const char letters[] = "imsx";
	static const unsigned values[] = { PCRE2_CASELESS, PCRE2_MULTILINE, PCRE2_DOTALL,
		                           PCRE2_EXTENDED };
	unsigned wanted = tokens->options;
	bool off = false;

	for (; tokens->at < tokens->end; tokens->at++) {
		const char *letter = *tokens->at ? strchr(letters, *tokens->at) : NULL;
		if (letter)
			wanted = off ? wanted & ~values[letter - letters]
			             : wanted | values[letter - letters];
		else if (*tokens->at == '-')
			off = true;
		else if (*tokens->at == '^')
			wanted = 0;
		else if (!is_in(*tokens->at, "JnU"))
			break;
	}

	char c = ahead(tokens, 0);
	tokens->at += left(tokens) > 0;
	if (c != ')' && c != ':')
		return PM_TOKEN_UNKNOWN;
	if (c == ':') {
		if (tokens->depth == PM_TOKEN_DEPTH)
			return PM_TOKEN_UNKNOWN;
		tokens->outside[tokens->depth++] = tokens->options;
	}

	tokens->options = wanted;
	return c == ':' ? PM_TOKEN_OPEN : PM_TOKEN_NOTHING;
}

/** Opens a group. */
static enum pm_token_type opened(struct pm_tokens *tokens, enum pm_token_type type)
{
	if (tokens->depth == PM_TOKEN_DEPTH)
		return PM_TOKEN_UNKNOWN;
	tokens->outside[tokens->depth++] = tokens->options;
	return type;
}

/** A group with a question mark; `at` is behind that. */
static enum pm_token_type special_group(struct pm_tokens *tokens)
{
	char c = ahead(tokens, 0), next = ahead(tokens, 1);
	if (c == '#')
		return skip_to(tokens, ')') ? PM_TOKEN_NOTHING : PM_TOKEN_UNKNOWN;
	if (c == '=' || c == '!') {
		tokens->at++;
		return opened(tokens, PM_TOKEN_AHEAD);
	}
	if (c == '<' && (next == '=' || next == '!')) {
		tokens->at += 2;
		return opened(tokens, PM_TOKEN_BEHIND);
	}
	if (is_in(c, "R&+0123456789") || (c == '-' && is_digit(next)) ||
	    (c == 'P' && is_in(next, "=>")))
		return skip_to(tokens, ')') ? PM_TOKEN_REFERENCE : PM_TOKEN_UNKNOWN;
	if (c == '>' || c == '|') {
		tokens->at++;
		return opened(tokens, PM_TOKEN_OPEN);
	}

	if (c == 'P' && next == '<')
		tokens->at++;
	if (left(tokens) > 0 && (*tokens->at == '<' || *tokens->at == '\'')) {
		skip_brackets(tokens);
		return opened(tokens, PM_TOKEN_OPEN);
	}

	return c == '(' || c == 'C' || c == 'P' ? PM_TOKEN_UNKNOWN : options(tokens);
}

static enum pm_token_type group(struct pm_tokens *tokens)
{
	if (left(tokens) > 0 && *tokens->at == '*')
		return PM_TOKEN_UNKNOWN;
	if (left(tokens) > 0 && *tokens->at == '?') {
		tokens->at++;
		return special_group(tokens);
	}
	return opened(tokens, PM_TOKEN_OPEN);
}

/** The rest of a character of several bytes. */
static void skip_follow_bytes(struct pm_tokens *tokens)
{
	while (tokens->utf && tokens->at < tokens->end &&
	       ((unsigned char)*tokens->at & 0xc0) == 0x80)
		tokens->at++;
}

/** Blanks and comments that do not count where PCRE2_EXTENDED is in force. */
static void skip_blanks(struct pm_tokens *tokens)
{
	while ((tokens->options & PCRE2_EXTENDED) && !tokens->quoted && tokens->at < tokens->end) {
		if (*tokens->at == '#') {
			if (!skip_to(tokens, '\n'))
				tokens->at = tokens->end;
		} else if (is_in(*tokens->at, " \t\n\v\f\r"))
			tokens->at++;
		else
			break;
	}
}

/** The token that begins with a character; `at` is behind that. */
static enum pm_token_type classify(struct pm_tokens *tokens, char c, struct pm_token *token)
{
	switch (c) {
	case '\\':
		if (tokens->at == tokens->end)
			return PM_TOKEN_UNKNOWN;
		c = *tokens->at++;
		skip_follow_bytes(tokens);
		tokens->quoted = c == 'Q';
		return tokens->quoted ? PM_TOKEN_NOTHING
		                      : pm_token_escape(tokens, c, &token->literal);
	case '[':
		return pm_token_class(tokens);
	case '(':
		return group(tokens);
	case ')':
		if (tokens->depth == 0)
			return PM_TOKEN_UNKNOWN;
		tokens->options = tokens->outside[--tokens->depth];
		return PM_TOKEN_CLOSE;
	case '|':
		return PM_TOKEN_OR;
	case '^':
	case '$':
		return PM_TOKEN_EDGE;
	case '.':
		return PM_TOKEN_CHARACTER;
	case '{':
		return braces(tokens, token);
	case '*':
	case '+':
	case '?':
		token->min = c == '+';
		token->max = c == '?' ? 1 : PM_TOKEN_UNBOUNDED;
		return PM_TOKEN_REPEAT;
	default:
		skip_follow_bytes(tokens);
		token->literal = true;
		return PM_TOKEN_CHARACTER;
	}
}

void pm_tokens_next(struct pm_tokens *tokens, struct pm_token *token)
{
	skip_blanks(tokens);
	*token = (struct pm_token){ .type = PM_TOKEN_END,
		                    .text = tokens->at,
		                    .options = tokens->options };
	if (tokens->at == tokens->end)
		return;

	if (tokens->quoted && left(tokens) >= 2 && memcmp(tokens->at, "\\E", 2) == 0) {
		tokens->quoted = false;
		tokens->at += 2;
		token->type = PM_TOKEN_NOTHING;
	} else if (tokens->quoted) {
		tokens->at++;
		skip_follow_bytes(tokens);
		token->type = PM_TOKEN_CHARACTER;
		token->literal = true;
	} else
		token->type = classify(tokens, *tokens->at++, token);

	/* Possessive and lazy quantifiers match the same amounts. */
	if (token->type == PM_TOKEN_REPEAT && tokens->at < tokens->end && is_in(*tokens->at, "+?"))
		tokens->at++;
	token->length = (size_t)(tokens->at - token->text);
}
