/* SPDX-License-Identifier: MIT */
/** @file The options of `procmem grep`. */
#ifndef CMD_GREP_OPTIONS_H
#define CMD_GREP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "grep/numbers.h"
#include "grep/patterns.h"
#include "target/search.h"
#include "target/target_list.h"

/** The form of the output. */
enum grep_options_form {
	GREP_LINES,   /**< a line per match, with the text around it */
	GREP_BLOCKS,  /**< a line per match, and the bytes around the match in hexadecimal */
	GREP_MATCHES, /**< only the matches */
	GREP_UNIQUE,  /**< the distinct matches, with their counts */
	GREP_COUNTS,  /**< the number of matches in each region */
	GREP_REGIONS, /**< the regions with matches */
	GREP_SAVED,   /**< nothing but the number of hits: the hits are saved in a file */
	GREP_NOTHING, /**< nothing: the exit status is the result */
};

/** Which of the saved hits --next keeps. */
enum grep_keep {
	GREP_KEEP_ALL,     /**< all */
	GREP_KEEP_CHANGED, /**< those whose number has another value */
	GREP_KEEP_SAME,    /**< those whose number has the same value */
	GREP_KEEP_GREW,    /**< those whose number is greater */
	GREP_KEEP_SHRANK,  /**< those whose number is less */
};

/** The options of `procmem grep`. */
struct grep_options {
	struct grep_patterns patterns; /**< what to search for */
	struct grep_numbers numbers;   /**< --int, --float and --aligned */
	const char *save;              /**< --save: the file for the hits; NULL if not given */
	const char *next;              /**< --next: the file of hits; NULL if not given */
	enum grep_keep keep;           /**< --keep */
	unsigned flags;                /**< enum pm_pattern_flag bits, for all patterns */
	bool only_matching;            /**< -o */
	bool count;                    /**< -c */
	bool by_kind;                  /**< --by kind */
	bool unique;                   /**< --unique */
	bool list;                     /**< -l */
	bool quiet;                    /**< -q */
	bool byte_offset;              /**< -b */
	enum target_list_which which;  /**< --all-processes, --children or --cgroup */
	bool context;                  /**< -A, -B or -C was given */
	size_t before;                 /**< -B: number of bytes to show before a match */
	size_t after;                  /**< -A: number of bytes to show after a match */
	double timeout;                /**< --timeout in seconds; 0 if not given */
	uint64_t max; /**< -m: maximum number of matches per target; UINT64_MAX if not given */
	struct search_options search; /**< what to search, and the output options;
	                                 `search.output.quiet` (no notes) is set by -q and -s */
};

/** The command line of `procmem grep`. */
extern const struct cli_spec grep_spec;

/**
 * Returns the form of output that results from all options.
 * @param options  the options
 * @return         the form
 */
enum grep_options_form grep_options_form(const struct grep_options *options);

/**
 * Checks options that are not valid together.
 * @param options  the options
 * @return         one sentence that says what is wrong, or NULL
 */
const char *grep_options_wrong(const struct grep_options *options);

#endif
