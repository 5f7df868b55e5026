/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A PCRE2 pattern, token by token (pcre2pattern(3)): as far as is needed to learn what every match
 * must contain, and to write the pattern anew for text of 16 bits.
 *
 * The pattern was compiled before, so it is valid. What is not understood is called unknown, which
 * is always safe: nothing is concluded from it then. What a character or class matches is not
 * worked out here but asked of PCRE2 itself. Private.
 */
#ifndef PM_SCAN_PATTERN_TOKEN_H
#define PM_SCAN_PATTERN_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/byte_set.h"

/** What a token is. */
enum pm_token_type {
	PM_TOKEN_END,       /**< behind the last one */
	PM_TOKEN_CHARACTER, /**< a single character, or one of a class */
	PM_TOKEN_OPEN,    /**< begins a group whose content is matched as it stands: also atomic and
	                     named ones */
	PM_TOKEN_AHEAD,   /**< begins a look-ahead, also a negative one */
	PM_TOKEN_BEHIND,  /**< begins a look-behind, also a negative one */
	PM_TOKEN_CLOSE,   /**< ends a group */
	PM_TOKEN_OR,      /**< separates alternatives */
	PM_TOKEN_REPEAT,  /**< a quantifier of what is before it */
	PM_TOKEN_EDGE,    /**< matches no bytes, but looks at the neighbours: ^ $ \b \A \z ... */
	PM_TOKEN_NOTHING, /**< matches nothing and looks at nothing: options, comments, \K, \E */
	PM_TOKEN_REFERENCE, /**< matches what a group did, or calls it: any bytes, also none */
	PM_TOKEN_UNKNOWN,   /**< something that may change the meaning of the whole pattern */
};

/** Longest repetition: without bound. */
#define PM_TOKEN_UNBOUNDED SIZE_MAX

/** A token. */
struct pm_token {
	enum pm_token_type type; /**< what it is */
	const char *text;        /**< where it stands in the pattern */
	size_t length;           /**< its bytes */
	unsigned options; /**< PCRE2 options in force: PCRE2_CASELESS, PCRE2_DOTALL, PCRE2_MULTILINE
	                   */
	bool literal; /**< of a character: it stands for itself, quoted, or as an escape that stands
	                 for one character */
	size_t min;   /**< of a repetition: fewest times */
	size_t max;   /**< of a repetition: most times, PM_TOKEN_UNBOUNDED */
};

/** Most groups within each other that are followed. */
enum { PM_TOKEN_DEPTH = 60 };

/** Reads tokens; initialise with pm_tokens_init(). */
struct pm_tokens {
	const char *at;                   /**< what comes next */
	const char *end;                  /**< end of the pattern */
	bool utf;                         /**< characters may have several bytes */
	bool quoted;                      /**< between \Q and \E */
	unsigned options;                 /**< in force: those of PCRE2, and PCRE2_EXTENDED */
	size_t depth;                     /**< open groups */
	unsigned outside[PM_TOKEN_DEPTH]; /**< options that come back at the end of each */
};

/**
 * Starts with a pattern.
 * @param tokens filled
 * @param pattern it
 * @param length its bytes @param options it was compiled with
 */
void pm_tokens_init(struct pm_tokens *tokens, const char *pattern, size_t length, unsigned options);

/**
 * Hands out the next token, PM_TOKEN_END behind the last.
 * @param tokens the pattern
 * @param token filled
 */
void pm_tokens_next(struct pm_tokens *tokens, struct pm_token *token);

/**
 * Finds out which bytes a character token matches, by asking PCRE2.
 *
 * @param token  a token of type PM_TOKEN_CHARACTER
 * @param utf    the pattern is compiled with PCRE2_UTF
 * @param set    filled with the bytes that it matches
 * @return       true: it matches one byte, of that set; false: it may match several bytes, or PCRE2
 * does not take it alone
 */
bool pm_token_bytes(const struct pm_token *token, bool utf, struct pm_byte_set *set);

#endif
