/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Splits a PCRE2 pattern (pcre2pattern(3)) into tokens. The tokens are used to derive the shape of
 * the matches, and to convert the pattern to UTF-16.
 *
 * PCRE2 has already compiled the pattern, so its syntax is valid. Syntax that this code does not
 * understand, which includes verbs such as (*SKIP), becomes PM_TOKEN_UNKNOWN, which cannot cause
 * wrong results: the search then derives nothing from the pattern, and the conversion to UTF-16
 * fails. To find out which bytes a character or class matches, PCRE2 is called. Private.
 */
#ifndef PM_SCAN_PATTERN_TOKEN_H
#define PM_SCAN_PATTERN_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/byte_set.h"

/** Type of a token. */
enum pm_token_type {
	PM_TOKEN_END,       /**< the end of the pattern */
	PM_TOKEN_CHARACTER, /**< matches one character: a literal character, an escape, a class or a
	                       dot */
	PM_TOKEN_OPEN,    /**< starts a group that matches its contents, including atomic and named
	                     groups */
	PM_TOKEN_AHEAD,   /**< starts an `(?=` or `(?!` group */
	PM_TOKEN_BEHIND,  /**< starts an `(?<=` or `(?<!` group */
	PM_TOKEN_CLOSE,   /**< ends a group */
	PM_TOKEN_OR,      /**< separates alternatives */
	PM_TOKEN_REPEAT,  /**< quantifier of the item before it */
	PM_TOKEN_EDGE,    /**< matches no bytes, but tests the bytes at its position: ^ $ \b \A
	                     \z ... */
	PM_TOKEN_NOTHING, /**< matches no bytes and tests no bytes: options, comments, \K, \Q, \E */
	PM_TOKEN_REFERENCE, /**< matches again what a group has matched, or calls a group; may
	                       match any number of any bytes */
	PM_TOKEN_UNKNOWN,   /**< syntax that this code does not understand; may change the
	                       meaning of the whole pattern */
};

/** Value of pm_token.max if a repetition has no maximum. */
#define PM_TOKEN_UNBOUNDED SIZE_MAX

/** A token. */
struct pm_token {
	enum pm_token_type type; /**< type of the token */
	const char *text;        /**< start of the token in the pattern */
	size_t length;           /**< length of the token in bytes */
	unsigned options; /**< PCRE2 options that apply to the token: PCRE2_CASELESS, PCRE2_DOTALL,
	                     PCRE2_MULTILINE, PCRE2_EXTENDED */
	/**
	 * For PM_TOKEN_CHARACTER: true if the token is a single character (written literally,
	 * quoted or as an escape), false if it is a class or a dot.
	 */
	bool literal;
	size_t min; /**< for PM_TOKEN_REPEAT: minimum number of repetitions */
	size_t max; /**< for PM_TOKEN_REPEAT: maximum number of repetitions, or
	               PM_TOKEN_UNBOUNDED */
};

/** Maximum depth of nested groups. The start of a deeper group becomes PM_TOKEN_UNKNOWN. */
enum { PM_TOKEN_DEPTH = 60 };

/** A reader of tokens; initialise with pm_tokens_init(). */
struct pm_tokens {
	const char *at;   /**< start of the next token */
	const char *end;  /**< end of the pattern */
	bool utf;         /**< the pattern is UTF-8, so characters may have several bytes */
	bool quoted;      /**< the next token is between \Q and \E */
	unsigned options; /**< options that apply to the next token, as in pm_token */
	size_t depth;     /**< number of open groups */
	unsigned outside[PM_TOKEN_DEPTH]; /**< for each open group, the options that apply again
	                                     after its end */
};

/**
 * Initialises a reader at the start of a pattern.
 *
 * @param tokens   the reader
 * @param pattern  the pattern; must outlive the reader
 * @param length   length of the pattern in bytes
 * @param options  PCRE2 options with which the pattern was compiled
 */
void pm_tokens_init(struct pm_tokens *tokens, const char *pattern, size_t length, unsigned options);

/**
 * Reads the next token. After the last token, `token` receives the type PM_TOKEN_END.
 * @param tokens  the reader
 * @param token   receives the token
 */
void pm_tokens_next(struct pm_tokens *tokens, struct pm_token *token);

/**
 * Determines which bytes a token matches. Compiles the token with PCRE2, and tries each byte value.
 *
 * @param token  a token of type PM_TOKEN_CHARACTER
 * @param utf    true if the pattern is compiled with PCRE2_UTF
 * @param set    receives the byte values that the token matches
 * @return       true: each match of the token is one byte of `set`; false: the token may match
 *               several bytes, or PCRE2 cannot compile the token alone
 */
bool pm_token_bytes(const struct pm_token *token, bool utf, struct pm_byte_set *set);

#endif
