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
 * One target that is searched. Zero it; set `cancel`, and options, form, prefix and pid of the
 * view.
 */
struct grep_target {
	const volatile sig_atomic_t *cancel;    /**< Ctrl-C */
	struct grep_view view;                  /**< how hits are written down */
	struct text lines[PM_SCAN_WORKERS_MAX]; /**< the line that each thread is writing */
	uint64_t *counts;                       /**< matches in each region */
	uint64_t matches;                       /**< their sum */
	bool open;             /**< the last match of -o has no end yet: it was truncated */
	struct hex_view block; /**< memory around a match; open where it was truncated */
	bool kinds_known;      /**< it was found out what the regions are for */
};

/**
 * Searches a target, prints what is found and tells about it.
 *
 * @param target   as prepared
 * @param word     the TARGET
 * @param scanner  what for
 * @param out      where to
 * @param error    any
 * @return         1: searched; 0: no region fits the choice, and the error says so; -1: an error
 */
int grep_search(struct grep_target *target, const char *word, const struct pm_scanner *scanner,
                struct out *out, struct pm_error *error);

#endif
