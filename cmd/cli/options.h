/* SPDX-License-Identifier: MIT */
/**
 * @file The options of all commands that print a list, and the options of all commands with output.
 */
#ifndef CMD_CLI_OPTIONS_H
#define CMD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "cli/cli.h"

/** How to print a list. A zeroed structure has the defaults. */
struct list_options {
	bool all;            /**< print all items, not only those that fit the screen */
	bool csv;            /**< print comma-separated values */
	bool no_header;      /**< print rows only */
	bool reverse;        /**< reverse the order */
	bool top_given;      /**< `top` is valid */
	uint64_t top;        /**< maximum number of items to print */
	const char *sort;    /**< name of the column to sort by, NULL for the default one */
	const char *columns; /**< names of the columns, NULL for the default ones; "+a,b" adds
	                        columns to the default ones */
};

/** The options -s -r -n -o --csv --no-header. Each command has its own description of -a. */
extern const struct cli_option options_of_lists[];

/** Parses one of options_of_lists. @see cli_parse_option */
int options_parse_list(void *into, int id, const char *value, struct pm_error *error);

/**
 * Checks whether the option `--columns help` was given.
 *
 * @param options  the options
 * @return         true if the columns are to be listed
 */
bool options_want_help(const struct list_options *options);

/** The options of all commands with output. A zeroed structure has the defaults. */
struct output_options {
	bool json;              /**< JSON instead of text */
	bool csv;               /**< comma-separated values instead of text; each command that
	                           has --csv parses it */
	bool bytes;             /**< sizes in bytes instead of human-readable ones */
	bool quiet;             /**< no notes on stderr */
	bool verbose;           /**< more notes on stderr */
	enum out_colour colour; /**< when to print colours */
};

/**
 * Parses the argument of --color.
 *
 * @param when    the argument, NULL if it was omitted
 * @param colour  receives when to print colours
 * @param error   PM_ERROR_USAGE
 * @return        0 or -1
 */
int options_parse_colour(const char *when, enum out_colour *colour, struct pm_error *error);

/** The options --json -b --color -q -v. */
extern const struct cli_option options_of_output[];

/** Parses one of options_of_output. @see cli_parse_option */
int options_parse_output(void *into, int id, const char *value, struct pm_error *error);

/**
 * Checks the name of a recording to write.
 *
 * @param value  the argument of the option
 * @param file   receives the name
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
int options_parse_recording(const char *value, const char **file, struct pm_error *error);

#endif
