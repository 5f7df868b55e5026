/* SPDX-License-Identifier: MIT */
/** @file Finding the matches of one pattern in a window, one after the other. Private. */
#ifndef PM_SCAN_PATTERN_MATCHER_H
#define PM_SCAN_PATTERN_MATCHER_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <procmem/strings_scan.h>

#include "scan/pattern_filter.h"
#include "scan/scanner.h"

/** A compiled pattern; shared by all threads. */
struct pm_compiled_pattern {
	pcre2_code *code; /**< compiled with JIT if available, for whole and partial matches */
	struct pm_pattern_shape shape; /**< shape of its matches */
	bool utf;                      /**< compiled for UTF-8 */
	uint32_t number;               /**< index of the pattern among those of the caller */
	enum pm_encoding encoding;     /**< encoding of the text that it matches */
};

/** Result of the search for the next match. */
enum pm_matcher_state {
	PM_MATCH_NONE,    /**< there are no more matches in this window */
	PM_MATCH_FOUND,   /**< `found` is the next match */
	PM_MATCH_PARTIAL, /**< a match may start at `partial`, depending on the bytes after the
	                     window */
	PM_MATCH_STOPPED, /**< `stop` of the window was set */
};

/** A pattern in a thread; initialise with pm_matcher_init(). */
struct pm_matcher {
	const struct pm_compiled_pattern *pattern; /**< the pattern */
	pcre2_match_data *match;                   /**< owned */
	pcre2_match_context *context;              /**< owned: it has the offset limit of a call */
	struct pm_pattern_filter filter; /**< finds the places where matches are possible */
	bool cut;                        /**< the bytes after the window cannot be read */
	bool filtered;                   /**< the filter is used in this window */
	size_t cursor;                   /**< offset before which all matches were found */
	size_t probe;                    /**< offset before which all places were tried */
	size_t end;                      /**< offset of the end of the bytes that PCRE2 sees */
	uint32_t options;                /**< options for pcre2_match() */
	size_t skip;                     /**< bytes to skip after the next attempt that gives up */
	enum pm_matcher_state state;     /**< result of the last search */
	struct pm_found found;           /**< the match */
	size_t next;                     /**< offset at which to continue after the match */
	size_t partial;                  /**< offset at which a match may start */
	struct pm_scan_counts *counts;   /**< counters of the thread */
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
 * @param final    the window cannot grow: there are no partial matches
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
 * Tests whether a match may start at an offset, which may be after the size of the window. The
 * state of the search does not change.
 *
 * @param matcher  the matcher
 * @param window   the window
 * @param at       the offset
 */
bool pm_matcher_fits(struct pm_matcher *matcher, const struct pm_window *window, size_t at);

/**
 * Moves the cursor forward to the end of a match of another pattern. Matches before it do not
 * count.
 *
 * @param matcher  the matcher
 * @param cursor   the offset
 */
void pm_matcher_advance(struct pm_matcher *matcher, size_t cursor);

#endif
