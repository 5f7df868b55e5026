/* SPDX-License-Identifier: MIT */
/** @file Searching one target for `procmem grep`. */
#ifndef CMD_GREP_SEARCH_H
#define CMD_GREP_SEARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <procmem/scan.h>

#include "base/out.h"
#include "base/text.h"
#include "grep/line.h"
#include "view/hex_view.h"

/**
 * The search of one target. Initialise with zeros; set `cancel`, and `options`, `form`, `prefix`
 * and `pid` of the view.
 */
struct grep_target {
	const volatile sig_atomic_t *cancel;    /**< non-zero after Ctrl-C */
	struct grep_view view;                  /**< how matches are printed */
	struct text lines[PM_SCAN_WORKERS_MAX]; /**< the line that each thread makes */
	uint64_t *counts;                       /**< matches in each region; owned */
	uint64_t matches;                       /**< sum of `counts` */
	bool open;             /**< the last match of -o was truncated, and has no end yet */
	struct hex_view block; /**< memory around a match; open if the match was truncated */
	bool kinds_known;      /**< it is known what the regions are for */
};

/**
 * Searches a target, prints the matches, and reports on stderr.
 *
 * @param target   as described there
 * @param word     the TARGET
 * @param scanner  what to search for
 * @param out      where to print
 * @param error    any
 * @return         1: searched; 0: no region is selected, and the error says so; -1: an error
 */
int grep_search(struct grep_target *target, const char *word, const struct pm_scanner *scanner,
                struct out *out, struct pm_error *error);

#endif
