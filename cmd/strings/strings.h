/* SPDX-License-Identifier: MIT */
/** @file `procmem strings`: a run of the command, and what its threads share. */
#ifndef CMD_STRINGS_STRINGS_H
#define CMD_STRINGS_STRINGS_H

#include <procmem/scan.h>
#include <procmem/tally.h>

#include "base/text.h"
#include "cli/command.h"
#include "strings/options.h"
#include "target/search.h"

/** Buffers of one thread of the scan. */
struct strings_worker {
	struct text line;      /**< the line that is being made */
	struct text plain;     /**< characters of a string of UTF-16 or UTF-32 */
	struct text template;  /**< template of a string, for --similar */
	struct text region;    /**< region of the last hit, as JSON */
	uint64_t region_start; /**< start address of that region */
};

/** A run of the command. */
struct strings {
	const struct strings_options *options; /**< of the command line */
	struct search search;                  /**< its context is this structure */
	bool several; /**< several encodings are searched for: each string shows its own */
	struct strings_worker workers[PM_SCAN_WORKERS_MAX]; /**< of the scan */
	uint64_t count; /**< strings so far; the pieces of a long one count once */
	size_t region; /**< index of the region whose heading was printed last; SIZE_MAX for none */
	bool open;     /**< the last line has no end yet: more of its string may follow */
	enum pm_encoding open_encoding; /**< encoding of that string */
	struct pm_tally *tally;         /**< counts of -u; NULL without -u */
};

/**
 * Runs `procmem strings`.
 * @see command.run
 */
enum status strings_run(struct out *out, int argc, char **argv);

#endif
