/* SPDX-License-Identifier: MIT */
/**
 * @file The parts of `procmem strings`; not called strings.h, as that is a header of the system.
 */
#ifndef CMD_STRINGS_PARTS_H
#define CMD_STRINGS_PARTS_H

#include <procmem/strings_scan.h>

#include "cli/cli.h"
#include "target/search.h"
#include "target/tally.h"

/** What the user wants. */
struct strings_options {
	unsigned encodings;           /**< -e: PM_ENCODING_BIT() values, 0 for the usual one */
	uint64_t least;               /**< -n: fewest characters, 0 for the usual number */
	bool white_space;             /**< -w */
	char radix;                   /**< -t: 'x', 'd', 'o', or 'n' for none; 0: not given */
	bool offset;                  /**< --offset */
	bool unique;                  /**< -u */
	bool similar;                 /**< --similar */
	bool top_given;               /**< --top was given */
	uint64_t top;                 /**< --top: most strings to print of -u, 0 for all */
	uint64_t budget;              /**< --budget: most bytes for -u, 0: not given */
	bool raw;                     /**< --raw */
	struct search_options search; /**< where, and the output options */
};

/** What one thread of the scan needs for itself. */
struct strings_worker {
	struct text line;      /**< the one being made */
	struct text plain;     /**< characters of a string of UTF-16 or UTF-32 */
	struct text common;    /**< what a string has in common with similar ones */
	struct text region;    /**< in JSON, of the last hit */
	uint64_t region_start; /**< of that region */
};

/** A run of the command. */
struct strings {
	const struct strings_options *options; /**< the user's */
	struct search search;                  /**< its context is this structure */
	bool several; /**< several encodings are searched for: each string tells its own */
	struct strings_worker workers[PM_SCAN_WORKERS_MAX]; /**< of the scan */
	uint64_t count; /**< strings so far, pieces of one counted once */
	size_t region; /**< index of the region whose heading was printed last; SIZE_MAX for none */
	bool open;     /**< the last line is not ended: more of its string may come */
	enum pm_encoding open_encoding; /**< encoding of that string */
	struct tally *tally;            /**< counts of -u */
};

#endif
