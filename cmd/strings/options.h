/* SPDX-License-Identifier: MIT */
/** @file The options of `procmem strings`. */
#ifndef CMD_STRINGS_OPTIONS_H
#define CMD_STRINGS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/strings_scan.h>
#include <procmem/tally.h>

#include "cli/cli.h"
#include "target/search.h"
#include "target/target_list.h"

/** The options of `procmem strings`. */
struct strings_options {
	unsigned encodings;  /**< -e: PM_ENCODING_BIT() values, 0 if not given */
	uint64_t min_length; /**< -n: minimum number of characters of a string, 0 if not given */
	bool white_space;    /**< -w */
	char radix;          /**< -t: 'x', 'd' or 'o', or 'n' for no addresses; 0 if not given */
	bool offset;         /**< --offset */
	bool unique;         /**< -u */
	bool similar;        /**< --similar */
	enum pm_tally_order order;    /**< --sort */
	bool sort_given;              /**< --sort was given */
	bool top_given;               /**< --top was given */
	uint64_t top;                 /**< --top: number of strings that -u prints, 0 for all */
	double growth;                /**< --growth in seconds; 0 if not given */
	uint64_t budget;              /**< --budget: bytes of memory for -u, 0 if not given */
	bool raw;                     /**< --raw */
	enum target_list_which which; /**< --all-processes, --children or --cgroup */
	struct search_options search; /**< what to search, and the output options */
};

/** The command line of `procmem strings`. */
extern const struct cli_spec strings_spec;

/**
 * Checks that the options can be combined; reports an error if not.
 *
 * @param options  the options
 * @param out      where the result will be printed
 * @return         true if the options can be combined
 */
bool strings_options_check(const struct strings_options *options, const struct out *out);

/**
 * Returns the letter by which -e selects an encoding.
 * @param encoding  the encoding
 * @return          the letter
 */
char strings_options_letter(enum pm_encoding encoding);

#endif
