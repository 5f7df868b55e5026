/* SPDX-License-Identifier: MIT */
/** @file Finds the matches of one pattern in a window, one after the other. Private. */
#ifndef PM_SCAN_PATTERN_MATCHER_H
#define PM_SCAN_PATTERN_MATCHER_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <procmem/strings_scan.h>

#include "scan/pattern_filter.h"
#include "scan/scanner.h"

/** A compiled pattern; shared by all threads. */
struct pm_compiled_pattern {
	pcre2_code *code; /**< the pattern as compiled by PCRE2, with JIT code for whole and
	                     partial matches if JIT is available */
	struct pm_pattern_shape shape; /**< the shape of the matches of the pattern */
	bool utf;                      /**< the pattern was compiled for UTF-8 */
	uint32_t number;               /**< index of the pattern among those of the caller */
	enum pm_encoding encoding;     /**< encoding of the text that the pattern matches */
	/**
	 * If the pattern contains (*SKIP), the offset after the callout at the start of its text,
	 * otherwise 0. Such a pattern must be searched for in the order of addresses, because
	 * (*SKIP) moves the search forward without a match.
	 */
	size_t callout;
	uint8_t stream; /**< number of the stream for the offset to which (*SKIP) has moved the
	                   search; 0 if the pattern does not contain (*SKIP) */
};

/** Result of the search for the next match. */
enum pm_matcher_state {
	PM_MATCH_NONE,    /**< there are no more matches in this window */
	PM_MATCH_FOUND,   /**< `found` is the next match */
	PM_MATCH_PARTIAL, /**< a match may start at `partial`, depending on the bytes after the
	                     window */
	PM_MATCH_STOPPED, /**< pm_window.stop was set, so the search ended */
};

/** Searches for one pattern in one thread. Initialise with pm_matcher_init(). */
struct pm_matcher {
	const struct pm_compiled_pattern *pattern; /**< the pattern */
	pcre2_match_data *match;                   /**< owned */
	/**
	 * The limits for PCRE2; owned. Each matcher has its own, because they include the offset
	 * limit of the current call.
	 */
	pcre2_match_context *context;
	struct pm_pattern_filter filter; /**< finds the places to call PCRE2 for */
	bool cut;                        /**< more bytes follow the window, but the window cannot
	                                    grow */
	bool filtered;                   /**< the filter is used for this window */
	size_t cursor;                   /**< all matches that start before this offset were
	                                    found */
	size_t probe;                    /**< all places before this offset were tried */
	size_t start;                    /**< offset at which the search of the window starts */
	size_t end;   /**< offset of the end of the bytes that are passed to PCRE2 */
	size_t chunk; /**< number of offsets to try with one call of PCRE2. A call cannot be
	                 interrupted, so the number is small where attempts take long */
	size_t last;  /**< last offset that the current call of PCRE2 may try */
	/**
	 * Offset at which to continue the search after the offsets that were tried without a match.
	 * If `state` is PM_MATCH_NONE, the offset is at or after the end of the window.
	 */
	size_t resume;
	size_t before;    /**< pm_window.before of the current window */
	uint32_t options; /**< options for pcre2_match() */
	size_t skip;      /**< number of bytes to skip after the next attempt that reaches a
	                     limit */
	size_t good;      /**< number of offsets tried since an attempt reached a limit */
	enum pm_matcher_state state; /**< result of the last search */
	struct pm_found found;       /**< the match, if `state` is PM_MATCH_FOUND */
	size_t next;                 /**< offset at which to continue the search after `found` */
	size_t partial; /**< offset at which a match may start if `state` is PM_MATCH_PARTIAL */
	struct pm_scan_counts *counts; /**< counters of the thread, as passed to
	                                  pm_matcher_begin() */
};

/**
 * Initialises a matcher.
 *
 * @param matcher  the matcher; release it with pm_matcher_deinit()
 * @param pattern  the pattern; must outlive the matcher
 * @param stack    JIT stack, which the matchers of a thread may share; NULL for the default stack
 *                 of PCRE2
 * @param simd     at most pm_simd_best()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_matcher_init(struct pm_matcher *matcher, const struct pm_compiled_pattern *pattern,
                    pcre2_jit_stack *stack, enum pm_simd simd, struct pm_error *error);

/**
 * Releases a matcher.
 * @param matcher  the matcher; may be all zeros
 */
void pm_matcher_deinit(struct pm_matcher *matcher);

/**
 * Starts a window.
 *
 * @param matcher  the matcher
 * @param window   the window
 * @param cursor   first offset at which a match may start
 * @param final    true: the window cannot grow, so do not report partial matches
 * @param counts   counters to increase when an attempt reaches a limit
 */
void pm_matcher_begin(struct pm_matcher *matcher, const struct pm_window *window, size_t cursor,
                      bool final, struct pm_scan_counts *counts);

/**
 * Finds the next match at or after the cursor. Sets `state`; also sets `found` for PM_MATCH_FOUND,
 * and `partial` for PM_MATCH_PARTIAL.
 *
 * @param matcher  the matcher
 * @param window   the window
 */
void pm_matcher_next(struct pm_matcher *matcher, const struct pm_window *window);

/**
 * Tests whether a match or a partial match starts at an offset. The offset may be in the bytes
 * after the window. Does not change the state of the search.
 *
 * @param matcher  the matcher
 * @param window   the window
 * @param at       the offset
 */
bool pm_matcher_fits(struct pm_matcher *matcher, const struct pm_window *window, size_t at);

/**
 * Moves the cursor forward to an offset, which is the end of a match of this or another pattern.
 * Later searches find no matches that start before the cursor. Does nothing if the cursor is
 * already after the offset.
 *
 * @param matcher  the matcher
 * @param cursor   the offset
 */
void pm_matcher_advance(struct pm_matcher *matcher, size_t cursor);

#endif
