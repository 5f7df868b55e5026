/* SPDX-License-Identifier: MIT */
/** @file Searches one target for `procmem grep`. */
#ifndef CMD_GREP_SEARCH_H
#define CMD_GREP_SEARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <procmem/scan.h>
#include <procmem/tally.h>

#include "base/out.h"
#include "base/text.h"
#include "grep/line.h"
#include "grep/save.h"
#include "view/hex_view.h"

/**
 * The search of one target. Initialise with zeros; set `cancel`, `deadline_us`
 * and `start_ticks`, and `options`, `form`, `prefix` and `pid` of the view.
 */
struct grep_target {
	const volatile sig_atomic_t *cancel;    /**< non-zero after Ctrl-C */
	struct grep_view view;                  /**< how matches are printed */
	struct text lines[PM_SCAN_WORKERS_MAX]; /**< buffers for the lines; one for each thread */
	uint64_t *counts;                       /**< number of matches in each region; owned */
	uint64_t matches;                       /**< sum of `counts` */
	bool open; /**< the last match of -o was truncated, and its newline is not printed yet */
	struct hex_view block;  /**< hexadecimal output of the bytes around a match; still open if
	                           the match was truncated */
	uint64_t deadline_us;   /**< time (clock_us()) at which the search ends; 0 for no limit */
	uint64_t start_ticks;   /**< start time that the process must have; 0 for any process */
	bool incomplete;        /**< matches can be missing: attempts to match were aborted, or the
	                           search has timed out */
	struct pm_tally *tally; /**< distinct matches, with --unique; owned */
	struct grep_save save;  /**< the file of --save; zeroed if there is none */
	bool kinds_known;       /**< the kinds of the regions are known */
};

/**
 * Searches a target, prints the matches, and reports on stderr.
 *
 * @param target   initialised as described for struct grep_target
 * @param word     the TARGET
 * @param scanner  what to search for
 * @param out      where to print
 * @param error    any
 * @return         1 if the target was searched; 0 if no region is selected (`error` is set); -1 on
 *                 error
 */
int grep_search(struct grep_target *target, const char *word, const struct pm_scanner *scanner,
                struct out *out, struct pm_error *error);

#endif
