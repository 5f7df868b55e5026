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

/** Returns the number of bytes from `at` to the end of the pattern. */
static size_t left(const struct pm_tokens *tokens)
{
	return (size_t)(tokens->end - tokens->at);
}

/**
 * Returns the character `distance` bytes after the current position `at`, or NUL if the pattern
 * ends before that.
 */
static char ahead(const struct pm_tokens *tokens, size_t distance)
{
	if (left(tokens) <= distance)
		return '\0';
	return tokens->at[distance];
}

/** Tests whether a character is in the string `characters`. Returns false for NUL. */
static bool is_in(char c, const char *characters)
{
	return c != '\0' && strchr(characters, c);
}

/**
 * Moves `at` past the next `closing` character.
 * @return false, with `at` unchanged, if there is no such character
 */
static bool skip_to(struct pm_tokens *tokens, char closing)
{
	const char *found = memchr(tokens->at, closing, left(tokens));
	if (found)
		tokens->at = found + 1;
	return found;
}

/** Moves `at` past a name or number in {}, <> or '', if there is one at this position. */
static void skip_brackets(struct pm_tokens *tokens)
{
	static const char opening[] = "{<'", closing[] = "}>'";
	char c = ahead(tokens, 0);

	if (!is_in(c, opening))
		return;

	tokens->at++;
	skip_to(tokens, closing[strchr(opening, c) - opening]);
}

/** Moves `at` past at most `max` characters that are in the string `digits`. */
static void skip_digits(struct pm_tokens *tokens, size_t max, const char *digits)
{
	for (; max > 0 && tokens->at < tokens->end && is_in(*tokens->at, digits); max--)
		tokens->at++;
}

/**
 * Parses an escape, and moves `at` to its end. On entry, `at` is after `c`.
 * @param c        the character after the backslash
 * @param literal  receives a value only if the result is PM_TOKEN_CHARACTER: true if the escape is
 *                 a single character, false if it is a class
 */
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
	/* "\N{2}" is the class \N with a quantifier, but "\N{U+41}" is a character. */
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

/**
 * Moves `at` from the first bracket of `[:name:]`, `[.name.]` or `[=name=]`, within a class, to its
 * last bracket. Does nothing if the syntax is different.
 */
static void skip_class_name(struct pm_tokens *tokens)
{
	const char *at = tokens->at, *name = at + 2;

	while (name < tokens->end && ((*name >= 'a' && *name <= 'z') || *name == '^'))
		name++;

	if (tokens->end - name >= 2 && name[0] == at[1] && name[1] == ']')
		tokens->at = name + 1;
}

/** Parses a class, and moves `at` to its end. On entry, `at` is after the opening bracket. */
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

			/* A closing bracket after "[\Q\E" is the first character of the class, and
			 * does not end it. */
			if (begin == at)
				begin = at + 2;
		} else if (quoted)
			continue;
		else if (*at == ']' && at != begin) {
			tokens->at++;
			return PM_TOKEN_CHARACTER;
		} else if (*at == '\\')
			tokens->at++;
		else if (*at == '[' && is_in(next, ":.=")) {
			/* "[[:<:]]" and "[[:>:]]" are assertions: they do not match characters. */
			if (left(tokens) > 2 && is_in(at[2], "<>"))
				return PM_TOKEN_UNKNOWN;

			skip_class_name(tokens);
		}
	}

	return PM_TOKEN_UNKNOWN;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/**
 * Parses a number of at most six digits, and moves `at` to its end.
 * @return false if there is no digit
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
 * Parses a quantifier such as `{2}`, `{2,}` or `{2,3}`. On entry, `at` is after the opening brace.
 * Some versions of PCRE2 also accept spaces, and `{,3}`, as a quantifier; such text becomes
 * PM_TOKEN_UNKNOWN. If a brace does not start a quantifier, it is a literal character.
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

	if (at < tokens->end && is_in(*at, " \t"))
		return PM_TOKEN_UNKNOWN;
	if (at == tokens->end || *at != '}')
		return PM_TOKEN_CHARACTER;

	tokens->at = at + 1;
	return PM_TOKEN_REPEAT;
}

/** Parses options such as "(?i)" and "(?i:". On entry, `at` is after the question mark. */
static enum pm_token_type options(struct pm_tokens *tokens)
{
	static const char letters[] = "imsx";
	static const unsigned values[] = { PCRE2_CASELESS, PCRE2_MULTILINE, PCRE2_DOTALL,
		                           PCRE2_EXTENDED };
	unsigned wanted = tokens->options;
	bool off = false;

	for (; tokens->at < tokens->end; tokens->at++) {
		char letter = *tokens->at;

		if (is_in(letter, letters)) {
			unsigned value = values[strchr(letters, letter) - letters];
			wanted |= value;
			if (off)
				wanted &= ~value;
		} else if (letter == '-')
			off = true;
		else if (letter == '^')
			wanted = 0;
		else if (!is_in(letter, "JnU"))
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
	if (c == ':')
		return PM_TOKEN_OPEN;
	return PM_TOKEN_NOTHING;
}

/**
 * Records the start of a group.
 * @return `type`, or PM_TOKEN_UNKNOWN if groups are nested too deeply
 */
static enum pm_token_type opened(struct pm_tokens *tokens, enum pm_token_type type)
{
	if (tokens->depth == PM_TOKEN_DEPTH)
		return PM_TOKEN_UNKNOWN;
	tokens->outside[tokens->depth++] = tokens->options;
	return type;
}

/**
 * Moves `at` past the closing parenthesis of a comment or reference.
 * @return `type`, or PM_TOKEN_UNKNOWN if there is no closing parenthesis
 */
static enum pm_token_type skipped(struct pm_tokens *tokens, enum pm_token_type type)
{
	if (!skip_to(tokens, ')'))
		return PM_TOKEN_UNKNOWN;
	return type;
}

/** Parses the start of a group that begins with "(?". On entry, `at` is after the question mark. */
static enum pm_token_type special_group(struct pm_tokens *tokens)
{
	char c = ahead(tokens, 0), next = ahead(tokens, 1);
	if (c == '#')
		return skipped(tokens, PM_TOKEN_NOTHING);

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
		return skipped(tokens, PM_TOKEN_REFERENCE);

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

	if (is_in(c, "(CP"))
		return PM_TOKEN_UNKNOWN;
	return options(tokens);
}

/**
 * Parses a verb such as "(*SKIP)", or the start of a group such as "(*atomic:". On entry, `at` is
 * at the asterisk.
 */
static enum pm_token_type verb(struct pm_tokens *tokens)
{
	char first = ahead(tokens, 1);
	if (first == ':' || (first >= 'A' && first <= 'Z'))
		skip_to(tokens, ')');
	return PM_TOKEN_UNKNOWN;
}

static enum pm_token_type group(struct pm_tokens *tokens)
{
	if (left(tokens) > 0 && *tokens->at == '*')
		return verb(tokens);
	if (left(tokens) > 0 && *tokens->at == '?') {
		tokens->at++;
		return special_group(tokens);
	}
	return opened(tokens, PM_TOKEN_OPEN);
}

/** In a UTF-8 pattern, moves `at` past the second and later bytes of a character. */
static void skip_follow_bytes(struct pm_tokens *tokens)
{
	while (tokens->utf && tokens->at < tokens->end &&
	       ((unsigned char)*tokens->at & 0xc0) == 0x80)
		tokens->at++;
}

/** With PCRE2_EXTENDED, moves `at` past white space and comments, except between \Q and \E. */
static void skip_white_space(struct pm_tokens *tokens)
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

/** Parses a token that starts with a backslash. On entry, `at` is after the backslash. */
static enum pm_token_type backslash(struct pm_tokens *tokens, struct pm_token *token)
{
	if (tokens->at == tokens->end)
		return PM_TOKEN_UNKNOWN;

	char c = *tokens->at++;
	skip_follow_bytes(tokens);
	tokens->quoted = c == 'Q';
	if (tokens->quoted)
		return PM_TOKEN_NOTHING;

	return escape(tokens, c, &token->literal);
}

/** Parses the token that starts with the character `c`. On entry, `at` is after `c`. */
static enum pm_token_type classify(struct pm_tokens *tokens, char c, struct pm_token *token)
{
	switch (c) {
	case '\\':
		return backslash(tokens, token);
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
	skip_white_space(tokens);
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

	/* A suffix that makes a quantifier possessive or lazy does not change its minimum and
	 * maximum. */
	if (token->type == PM_TOKEN_REPEAT && tokens->at < tokens->end && is_in(*tokens->at, "+?"))
		tokens->at++;
	token->length = (size_t)(tokens->at - token->text);
}

/**
 * Compiles a token as a separate pattern, which must match the whole subject.
 * @return the compiled token; NULL if PCRE2 does not accept the token
 */
static pcre2_code *compile_token(const struct pm_token *token, bool utf)
{
	int code;
	PCRE2_SIZE offset;

	uint32_t flags = PCRE2_ANCHORED | PCRE2_ENDANCHORED | (token->options & PCRE2_CASELESS);
	bool as_is = token->literal && (token->text[0] != '\\' || token->length == 1);

	if (utf)
		flags |= PCRE2_UTF;
	/* PCRE2 rejects PCRE2_UCP and PCRE2_DOTALL together with PCRE2_LITERAL. */
	if (as_is)
		flags |= PCRE2_LITERAL;
	else
		flags |= token->options & PCRE2_DOTALL;
	if (utf && !as_is)
		flags |= PCRE2_UCP;

	return pcre2_compile((PCRE2_SPTR)token->text, token->length, flags, &code, &offset, NULL);
}

/**
 * Tests whether it is certain that a token matches only ASCII characters.
 * @param set  the ASCII characters that the token matches
 */
static bool only_ascii(const struct pm_token *token, const struct pm_byte_set *set)
{
	/* If case is ignored, U+017F is equal to s, and U+212A is equal to k. */
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
	pcre2_match_data *match = NULL;
	unsigned end = utf ? 0x80 : 0x100;

	if (code)
		match = pcre2_match_data_create(1, NULL);

	*set = (struct pm_byte_set){ 0 };
	for (unsigned i = 0; match && i < end; i++) {
		uint8_t byte = (uint8_t)i;
		if (pcre2_match(code, &byte, 1, 0, 0, match, NULL) >= 0)
			pm_byte_set_add(set, byte);
	}

	bool known = match && pm_byte_set_count(set) > 0 && (!utf || only_ascii(token, set));
	pcre2_match_data_free(match);
	pcre2_code_free(code);

	return known;
}
