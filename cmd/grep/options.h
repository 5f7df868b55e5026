/* SPDX-License-Identifier: MIT */
/** @file The options of `procmem grep`. */
#ifndef CMD_GREP_OPTIONS_H
#define CMD_GREP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "grep/patterns.h"
#include "target/search.h"

/** What is printed. */
enum grep_options_form {
	GREP_LINES,   /**< a line for each match, with the text around it */
	GREP_BLOCKS,  /**< that, and the bytes around it in hexadecimal */
	GREP_MATCHES, /**< the matches only */
	GREP_COUNTS,  /**< how many in each region */
	GREP_REGIONS, /**< regions with matches */
	GREP_NOTHING, /**< the exit status tells */
};

/** What the user wants. */
struct grep_options {
	struct grep_patterns patterns; /**< what to search for */
	unsigned flags;                /**< how it is meant: enum pm_pattern_flag bits */
	bool only_matching;            /**< -o */
	bool count;                    /**< -c */
	bool list;                     /**< -l */
	bool quiet;                    /**< -q */
	bool byte_offset;              /**< -b */
	bool json;                     /**< --json */
	bool all_processes;            /**< --all-processes */
	bool context;                  /**< one of -A, -B, -C was given */
	size_t before;                 /**< bytes before a match that are shown */
	size_t after;                  /**< bytes behind it */
	uint64_t most; /**< -m: most matches of a target; UINT64_MAX for any number */
	struct search_options
		search; /**< where, and how to tell; `quiet` there is -q or -s: no remarks */
};

/** The command line of `procmem grep`. */
extern const struct cli_spec grep_spec;

/**
 * What the options ask for, taken together.
 * @param options they
 * @return the form
 */
enum grep_options_form grep_options_form(const struct grep_options *options);

#endif
