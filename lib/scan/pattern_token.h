/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Splits a PCRE2 pattern (pcre2pattern(3)) into tokens. The tokens are used to derive what every
 * match must contain, and to convert the pattern to UTF-16.
 *
 * PCRE2 has compiled the pattern before, so it is valid. Syntax that this code does not understand
 * becomes PM_TOKEN_UNKNOWN, which is always safe: the callers then conclude nothing from the
 * pattern. PCRE2 itself determines which bytes a character or class matches. Private.
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
	PM_TOKEN_OPEN,  /**< starts a group that matches its contents, also an atomic or named group
	                 */
	PM_TOKEN_AHEAD, /**< starts an `(?=` or `(?!` group */
	PM_TOKEN_BEHIND,  /**< starts an `(?<=` or `(?<!` group */
	PM_TOKEN_CLOSE,   /**< ends a group */
	PM_TOKEN_OR,      /**< separates alternatives */
	PM_TOKEN_REPEAT,  /**< quantifier of the item before it */
	PM_TOKEN_EDGE,    /**< matches no bytes, but tests the bytes around it: ^ $ \b \A \z ... */
	PM_TOKEN_NOTHING, /**< matches no bytes and tests none: options, comments, \K, \E */
	PM_TOKEN_REFERENCE, /**< matches again what a group matched, or calls a group; may match any
	                       bytes, or none */
	PM_TOKEN_UNKNOWN,   /**< syntax that is not understood, which may change the meaning of the
	                       whole pattern */
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
	bool literal; /**< for PM_TOKEN_CHARACTER: a single character, written as itself, quoted or
	                 as an escape; false for classes */
	size_t min;   /**< for PM_TOKEN_REPEAT: minimum number of times */
	size_t max;   /**< for PM_TOKEN_REPEAT: maximum number of times, or PM_TOKEN_UNBOUNDED */
};

/** Maximum depth of nested groups; a deeper group is PM_TOKEN_UNKNOWN. */
enum { PM_TOKEN_DEPTH = 60 };

/** A reader of tokens; initialise with pm_tokens_init(). */
struct pm_tokens {
	const char *at;   /**< start of the next token */
	const char *end;  /**< end of the pattern */
	bool utf;         /**< the pattern is UTF-8: characters may have several bytes */
	bool quoted;      /**< the next token is between \Q and \E */
	unsigned options; /**< options that apply to the next token, as in pm_token */
	size_t depth;     /**< number of open groups */
	unsigned outside[PM_TOKEN_DEPTH]; /**< for each open group, the options to restore at its
	                                     end */
};

/**
 * Initialises a reader at the start of a pattern.
 *
 * @param tokens   filled
 * @param pattern  the pattern; must outlive the reader
 * @param length   its length in bytes
 * @param options  PCRE2 options with which the pattern was compiled
 */
void pm_tokens_init(struct pm_tokens *tokens, const char *pattern, size_t length, unsigned options);

/**
 * Reads the next token. After the last token, returns PM_TOKEN_END.
 * @param tokens  the reader
 * @param token   filled
 */
void pm_tokens_next(struct pm_tokens *tokens, struct pm_token *token);

/**
 * Determines which bytes a PM_TOKEN_CHARACTER matches, by compiling and matching the token with
 * PCRE2.
 *
 * @param token  a token of type PM_TOKEN_CHARACTER
 * @param utf    whether the pattern is compiled with PCRE2_UTF
 * @param set    receives the byte values that the token matches
 * @return       true: the token matches exactly one byte of `set`; false: it may match several
 *               bytes, or PCRE2 does not compile it as a pattern of its own
 */
bool pm_token_bytes(const struct pm_token *token, bool utf, struct pm_byte_set *set);

#endif
