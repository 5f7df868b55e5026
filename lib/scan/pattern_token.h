/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The tokens of a PCRE2 pattern (pcre2pattern(3)), as far as needed to derive what every match must
 * contain, and to convert the pattern to UTF-16.
 *
 * The pattern was compiled before, so it is valid. A token that is not understood is unknown, which
 * is always safe: nothing is concluded from the pattern then. PCRE2 itself determines which bytes a
 * character or class matches. Private.
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
	PM_TOKEN_CHARACTER, /**< a single character, or one of a class */
	PM_TOKEN_OPEN,    /**< start of a group that matches its contents: also atomic and named */
	PM_TOKEN_AHEAD,   /**< starts an `(?=` or `(?!` group */
	PM_TOKEN_BEHIND,  /**< starts an `(?<=` or `(?<!` group */
	PM_TOKEN_CLOSE,   /**< end of a group */
	PM_TOKEN_OR,      /**< separates alternatives */
	PM_TOKEN_REPEAT,  /**< quantifier of the item before it */
	PM_TOKEN_EDGE,    /**< matches no bytes, but tests the neighbours: ^ $ \b \A \z ... */
	PM_TOKEN_NOTHING, /**< matches and tests nothing: options, comments, \K, \E */
	PM_TOKEN_REFERENCE, /**< matches what a group matched, or calls it: any bytes, or none */
	PM_TOKEN_UNKNOWN,   /**< may change the meaning of the whole pattern */
};

/** Maximum of a repetition without bound. */
#define PM_TOKEN_UNBOUNDED SIZE_MAX

/** A token. */
struct pm_token {
	enum pm_token_type type; /**< its type */
	const char *text;        /**< its start in the pattern */
	size_t length;           /**< its length in bytes */
	unsigned options;        /**< PCRE2 options that are set: PCRE2_CASELESS, PCRE2_DOTALL,
	                            PCRE2_MULTILINE */
	bool literal; /**< of a character: it matches itself, is quoted, or is the escape of one
	                 character */
	size_t min;   /**< of a repetition: minimum number of times */
	size_t max;   /**< of a repetition: maximum number of times, or PM_TOKEN_UNBOUNDED */
};

/** Maximum depth of nested groups; a deeper group is PM_TOKEN_UNKNOWN. */
enum { PM_TOKEN_DEPTH = 60 };

/** A reader of tokens; initialise with pm_tokens_init(). */
struct pm_tokens {
	const char *at;                   /**< start of the next token */
	const char *end;                  /**< end of the pattern */
	bool utf;                         /**< characters may have several bytes */
	bool quoted;                      /**< between \Q and \E */
	unsigned options;                 /**< options that are set, with PCRE2_EXTENDED */
	size_t depth;                     /**< number of open groups */
	unsigned outside[PM_TOKEN_DEPTH]; /**< options to restore at the end of each group */
};

/**
 * Starts reading a pattern.
 *
 * @param tokens   filled
 * @param pattern  the pattern; must outlive the reader
 * @param length   its length in bytes
 * @param options  the options that it was compiled with
 */
void pm_tokens_init(struct pm_tokens *tokens, const char *pattern, size_t length, unsigned options);

/**
 * Reads the next token; PM_TOKEN_END after the last.
 * @param tokens  the reader
 * @param token   filled
 */
void pm_tokens_next(struct pm_tokens *tokens, struct pm_token *token);

/**
 * Determines which bytes a character token matches, by PCRE2.
 *
 * @param token  a token of type PM_TOKEN_CHARACTER
 * @param utf    the pattern is compiled with PCRE2_UTF
 * @param set    receives the bytes that it matches
 * @return       true: it matches one byte of that set; false: it may match several bytes, or PCRE2
 *               does not accept it alone
 */
bool pm_token_bytes(const struct pm_token *token, bool utf, struct pm_byte_set *set);

#endif
