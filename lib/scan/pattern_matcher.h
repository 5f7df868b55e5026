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
	pcre2_code *code; /**< the result of PCRE2; with JIT code for whole and partial matches, if
	                     JIT is available */
	struct pm_pattern_shape shape; /**< the shape of its matches */
	bool utf;                      /**< the pattern was compiled for UTF-8 */
	uint32_t number;               /**< index of the pattern among those of the caller */
	enum pm_encoding encoding;     /**< encoding of the text that it matches */
};

/** Result of the search for the next match. */
enum pm_matcher_state {
	PM_MATCH_NONE,    /**< there are no more matches in this window */
	PM_MATCH_FOUND,   /**< `found` is the next match */
	PM_MATCH_PARTIAL, /**< a match may start at `partial`; the bytes after the window decide */
	PM_MATCH_STOPPED, /**< the search was ended by pm_window.stop */
};

/** Searches for one pattern in one thread. Initialise with pm_matcher_init(). */
struct pm_matcher {
	const struct pm_compiled_pattern *pattern; /**< the pattern */
	pcre2_match_data *match;                   /**< owned */
	pcre2_match_context *context;    /**< owned; one for each matcher, because it contains the
	                                    offset limit of the current call */
	struct pm_pattern_filter filter; /**< finds the places at which matches are possible */
	bool cut;                        /**< more bytes follow the window, but it cannot grow */
	bool filtered;                   /**< the filter is used for this window */
	size_t cursor;                   /**< offset up to which all matches were found */
	size_t probe;                    /**< offset up to which all places were tried */
	size_t end;       /**< offset of the end of the bytes that are passed to PCRE2 */
	uint32_t options; /**< options for pcre2_match() */
	size_t skip;      /**< number of bytes to skip after the next attempt that gives up */
	enum pm_matcher_state state; /**< result of the last search */
	struct pm_found found;       /**< the match, if `state` is PM_MATCH_FOUND */
	size_t next;                 /**< offset at which to continue the search after the match */
	size_t partial; /**< offset at which a match may start, if `state` is PM_MATCH_PARTIAL */
	struct pm_scan_counts *counts; /**< counters of the thread, set by pm_matcher_begin() */
};

/**
 * Initialises a matcher.
 *
 * @param matcher  filled; release with pm_matcher_deinit()
 * @param pattern  the pattern; must outlive the matcher
 * @param stack    JIT stack, which the matchers of a thread may share; NULL: the default of PCRE2
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
 * @param final    true: the window cannot grow, so partial matches are not reported
 * @param counts   counters, which are increased when an attempt gives up
 */
void pm_matcher_begin(struct pm_matcher *matcher, const struct pm_window *window, size_t cursor,
                      bool final, struct pm_scan_counts *counts);

/**
 * Finds the next match at or after the cursor. Fills `state`, and `found` or `partial`.
 *
 * @param matcher  the matcher
 * @param window   the window
 */
void pm_matcher_next(struct pm_matcher *matcher, const struct pm_window *window);

/**
 * Tests whether a match may start at an offset. The offset may be in the bytes after the window.
 * The state of the search does not change.
 *
 * @param matcher  the matcher
 * @param window   the window
 * @param at       the offset
 */
bool pm_matcher_fits(struct pm_matcher *matcher, const struct pm_window *window, size_t at);

/**
 * Moves the cursor forward to the end of a match of another pattern. Matches that start before the
 * cursor do not count.
 *
 * @param matcher  the matcher
 * @param cursor   the offset
 */
void pm_matcher_advance(struct pm_matcher *matcher, size_t cursor);

#endif
