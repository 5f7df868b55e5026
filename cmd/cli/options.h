/* SPDX-License-Identifier: MIT */
/** @file Options of commands that print a list, and those of all commands that print. */
#ifndef CMD_CLI_OPTIONS_H
#define CMD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "cli/cli.h"

/** How a list is to be printed; all zero is the default. */
struct list_options {
	bool all;            /**< everything, also on a terminal */
	bool csv;            /**< comma-separated values */
	bool no_header;      /**< rows only */
	bool reverse;        /**< the other way round */
	bool top_given;      /**< `top` holds */
	uint64_t top;        /**< most items to print */
	const char *sort;    /**< name of the column to sort by, NULL for the usual one */
	const char *columns; /**< names of the columns, NULL for the usual ones; "+a,b": the usual
	                        ones and these */
};

/** The options: -s -r -n -o --csv --no-header; commands describe -a themselves. */
extern const struct cli_option options_of_lists[];

/** Takes one of them. @see cli_take */
int options_parse_list(void *into, int id, const char *value, struct pm_error *error);

/**
 * Whether `--columns help` was asked for.
 * @param options the options
 * @return true or false
 */
bool options_want_help(const struct list_options *options);

/** What all commands have that print something; all zero is the default. */
struct output_options {
	bool json;              /**< JSON instead of text */
	bool bytes;             /**< exact integers instead of sizes for people */
	bool quiet;             /**< no remarks on stderr */
	bool verbose;           /**< more remarks on stderr */
	enum out_colour colour; /**< when to colour */
};

/**
 * Reads the argument of --color.
 *
 * @param when    NULL where it was left out
 * @param colour  filled
 * @param error   PM_ERROR_USAGE
 * @return        0 or -1
 */
int options_parse_colour(const char *when, enum out_colour *colour, struct pm_error *error);

/** The options: --json -b --color -q -v. */
extern const struct cli_option options_of_output[];

/** Takes one of them. @see cli_take */
int options_parse_output(void *into, int id, const char *value, struct pm_error *error);

#endif
