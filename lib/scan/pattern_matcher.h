/* SPDX-License-Identifier: MIT */
/** @file One pattern in one thread: its matches in a window, one after the other. Private. */
#ifndef PM_SCAN_PATTERN_MATCHER_H
#define PM_SCAN_PATTERN_MATCHER_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <procmem/strings_scan.h>

#include "scan/pattern_filter.h"
#include "scan/scanner.h"

/** A pattern as it is searched for; shared by all threads. */
struct pm_compiled_pattern {
	pcre2_code *code; /**< compiled with JIT where that exists, for whole and partial matches */
	struct pm_pattern_shape shape; /**< what is known of its matches */
	bool utf;                      /**< compiled for UTF-8 */
	uint32_t number;               /**< which of the caller's patterns it is */
	enum pm_encoding encoding;     /**< of the text that it matches */
};

/** What the search for the next match came to. */
enum pm_matcher_state {
	PM_MATCH_NONE,    /**< there is none any more in this window */
	PM_MATCH_FOUND,   /**< `found` is the next one */
	PM_MATCH_PARTIAL, /**< at `partial` one may begin, which the bytes behind the window would
	                     decide */
	PM_MATCH_STOPPED, /**< the window's `stop` was set */
};

/** A pattern in a thread; initialise with pm_matcher_init(). */
struct pm_matcher {
	const struct pm_compiled_pattern *pattern; /**< the pattern */
	pcre2_match_data *match;                   /**< owned */
	pcre2_match_context *context;    /**< owned: it holds the offset that limits a call */
	struct pm_pattern_filter filter; /**< where matches can be */
	bool cut;                        /**< what goes on behind the window cannot be had */
	bool filtered;                   /**< the filter is used in this window */
	size_t cursor;                   /**< matches before this offset of the window are done */
	size_t probe;                    /**< places before this one are done */
	size_t end;                      /**< bytes of the window that PCRE2 sees */
	uint32_t options;                /**< for pcre2_match() */
	size_t skip;                     /**< bytes to skip after the next attempt that gives up */
	enum pm_matcher_state state;     /**< what the last search came to */
	struct pm_found found;           /**< the match */
	size_t next;                     /**< where to go on behind the match */
	size_t partial;                  /**< where one may begin */
	struct pm_scan_counts *counts;   /**< of the thread */
};

/**
 * Starts.
 *
 * @param matcher  filled; release with pm_matcher_deinit()
 * @param pattern  the pattern; must outlive it
 * @param stack    for JIT; may serve all matchers of a thread; NULL: what it has by itself
 * @param simd     at most pm_simd_best()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_matcher_init(struct pm_matcher *matcher, const struct pm_compiled_pattern *pattern,
                    pcre2_jit_stack *stack, enum pm_simd simd, struct pm_error *error);

/**
 * Releases it.
 * @param matcher also one that is all zero
 */
void pm_matcher_deinit(struct pm_matcher *matcher);

/**
 * Begins a window.
 *
 * @param matcher  the matcher
 * @param window   the window
 * @param cursor   first offset where a match may begin
 * @param final    what is behind the window cannot be had: there are no partial matches
 * @param counts   gets what was given up
 */
void pm_matcher_begin(struct pm_matcher *matcher, const struct pm_window *window, size_t cursor,
                      bool final, struct pm_scan_counts *counts);

/**
 * Finds the next match at or behind the cursor; fills `state` and what belongs to it.
 *
 * @param matcher the matcher
 * @param window the window
 */
void pm_matcher_next(struct pm_matcher *matcher, const struct pm_window *window);

/**
 * Whether a match may begin at an offset, which may also lie behind the window's size. Leaves the
 * search as it is.
 *
 * @param matcher the matcher
 * @param window the window
 * @param at the offset
 */
bool pm_matcher_fits(struct pm_matcher *matcher, const struct pm_window *window, size_t at);

/**
 * Moves the cursor forward, behind a match of another pattern: what is found before it does not
 * count.
 *
 * @param matcher the matcher
 * @param cursor the offset
 */
void pm_matcher_advance(struct pm_matcher *matcher, size_t cursor);

#endif
