/* SPDX-License-Identifier: MIT */
#include "scan/pattern_token.h"

#include <string.h>

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

/** How many bytes of the pattern are left. */
static size_t left(const struct pm_tokens *tokens)
{
	return (size_t)(tokens->end - tokens->at);
}

/** The character that comes so many behind the next one; NUL behind the end. */
static char ahead(const struct pm_tokens *tokens, size_t distance)
{
	if (left(tokens) <= distance)
		return '\0';
	return tokens->at[distance];
}

/** Whether it is one of some characters; NUL is none. */
static bool is_in(char c, const char *characters)
{
	return c != '\0' && strchr(characters, c);
}

/**
 * Moves behind the next `closing` character.
 * @return false where there is none
 */
static bool skip_to(struct pm_tokens *tokens, char closing)
{
	const char *found = memchr(tokens->at, closing, left(tokens));
	if (found)
		tokens->at = found + 1;
	return found;
}

/** Moves behind a name or number in brackets of any sort, where there is one. */
static void skip_brackets(struct pm_tokens *tokens)
{
	static const char opening[] = "{<'", closing[] = "}>'";
	const char *found = tokens->at < tokens->end && *tokens->at ? strchr(opening, *tokens->at)
	                                                            : NULL;
	if (!found)
		return;
	tokens->at++;
	skip_to(tokens, closing[found - opening]);
}

/** Moves behind `most` hexadecimal or decimal digits at the most. */
static void skip_digits(struct pm_tokens *tokens, size_t most, const char *digits)
{
	for (; most > 0 && tokens->at < tokens->end && is_in(*tokens->at, digits); most--)
		tokens->at++;
}

static enum pm_token_type escape(struct pm_tokens *tokens, char c, bool *literal)
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

static enum pm_token_type character_class(struct pm_tokens *tokens)
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
		return tokens->quoted ? PM_TOKEN_NOTHING : escape(tokens, c, &token->literal);
	case '[':
		return character_class(tokens);
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

/**
 * Compiles the token alone.
 * @return NULL where PCRE2 does not take it
 */
static pcre2_code *compile_token(const struct pm_token *token, bool utf)
{
	int code;
	PCRE2_SIZE offset;

	bool as_is = token->literal && (token->text[0] != '\\' || token->length == 1);
	uint32_t options = PCRE2_ANCHORED | PCRE2_ENDANCHORED | (token->options & PCRE2_CASELESS) |
	                   (utf ? PCRE2_UTF | PCRE2_UCP : 0);
	options |= as_is ? PCRE2_LITERAL : token->options & PCRE2_DOTALL;

	/* These two do not go together; without UTF there is nothing that PCRE2_UCP would change in
	 * a literal. */
	if (as_is)
		options &= ~PCRE2_UCP;

	return pcre2_compile((PCRE2_SPTR)token->text, token->length, options, &code, &offset, NULL);
}

/** Whether a token that matches some characters of ASCII matches no others. */
static bool only_ascii(const struct pm_token *token, const struct pm_byte_set *set)
{
	/* U+017F and U+212A are s and k in another case. */
	if ((token->options & PCRE2_CASELESS) &&
	    (pm_byte_set_has(set, 'k') || pm_byte_set_has(set, 's')))
		return false;
	if (token->literal)
		return true;
	if (token->text[0] != '[' || (token->options & PCRE2_CASELESS))
		return false;

	for (size_t i = 1; i < token->length; i++) {
		unsigned char c = (unsigned char)token->text[i];
		if (c >= 0x80 || c == '\\' || c == '[' || (c == '^' && i == 1))
			return false;
	}

	return true;
}

bool pm_token_bytes(const struct pm_token *token, bool utf, struct pm_byte_set *set)
{
	pcre2_code *code = compile_token(token, utf);
	pcre2_match_data *match = code ? pcre2_match_data_create(1, NULL) : NULL;

	*set = (struct pm_byte_set){ 0 };
	for (unsigned i = 0; match && i < (utf ? 0x80 : 0x100); i++) {
		uint8_t byte = (uint8_t)i;
		if (pcre2_match(code, &byte, 1, 0, 0, match, NULL) >= 0)
			pm_byte_set_add(set, byte);
	}

	bool known = match && pm_byte_set_count(set) > 0 && (!utf || only_ascii(token, set));
	pcre2_match_data_free(match);
	pcre2_code_free(code);

	return known;
}
