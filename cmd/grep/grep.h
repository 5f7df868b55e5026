/* SPDX-License-Identifier: MIT */
/** @file The parts of `procmem grep`. */
#ifndef CMD_GREP_GREP_H
#define CMD_GREP_GREP_H

#include <procmem/pattern_scan.h>
#include <procmem/scan.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "target/search.h"
#include "view/hex_view.h"

/** Patterns as the user gave them. */
struct grep_patterns {
	struct text bytes; /**< all of them, one behind the other */
	size_t *ends;      /**< where each ends in `bytes`; owned */
	size_t count;      /**< how many */
	size_t capacity;   /**< room for so many */
	bool given;        /**< there was an option for patterns: the first operand is none */
};

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

/** How hits are written down; the threads of a scan share it. */
struct grep_view {
	const struct grep_options *options; /**< the user's */
	const struct pm_regions *regions;   /**< of the target */
	const struct out *out; /**< its colours and width are heeded, nothing is written to it */
	const char *prefix;    /**< what stands before each line: "PID:", or "" */
	pid_t pid;             /**< PID for JSON, 0 for none */
	enum grep_options_form form; /**< what is printed */
};

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
 * Runs `procmem grep`.
 * @see command.run
 */
enum status grep_run(struct out *out, int argc, char **argv);

/** The command line of `procmem grep`. */
extern const struct cli_spec grep_spec;

#endif
