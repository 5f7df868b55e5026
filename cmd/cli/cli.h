/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The command line of a command. One description serves the parser and `--help`.
 *
 * Options may appear anywhere, long ones may be abbreviated, and `--` ends them. All commands have
 * `--help` and `--version`.
 */
#ifndef CMD_CLI_CLI_H
#define CMD_CLI_CLI_H

#include <procmem/error.h>

#include "base/out.h"
#include "base/report.h"

/**
 * The first ID for options that have no letter. Each group defines the IDs of such options in an
 * enum.
 */
enum { CLI_LONG_ONLY = 256 };

/** Maximum number of options of a command, in all its groups together. */
enum { CLI_OPTIONS_MAX = 64 };

/** One option. The last entry of a list of options has the name NULL. */
struct cli_option {
	int id;               /**< letter of the option, or a number from CLI_LONG_ONLY on */
	const char *name;     /**< long name */
	const char *argument; /**< name of the argument in the help, in brackets if the argument is
	                         optional; NULL if the option takes no argument */
	const char *help;     /**< what the option does; may have several lines */
};

/**
 * Parses one option of a group.
 *
 * @param into   the structure that the group fills
 * @param id     the ID of the option
 * @param value  argument of the option, or NULL if it has none
 * @param error  PM_ERROR_USAGE; the caller puts the name of the option before the text
 * @return       0 or -1
 */
typedef int cli_parse_option(void *into, int id, const char *value, struct pm_error *error);

/** A group of options. The last entry of a list of groups has `options` NULL. */
struct cli_group {
	const char *heading;              /**< printed above the options in the help */
	const struct cli_option *options; /**< the options */
	cli_parse_option *parse;          /**< parses one of these options */
	size_t offset; /**< offset in bytes of the structure that `parse` fills, within the
	                  structure that is passed to cli_parse() */
};

/** An option of another tool. */
struct cli_counterpart {
	const char *words;  /**< its letter and long names, separated by spaces: "P perl-regexp" */
	const char *advice; /**< what to do instead */
};

/** The command line of one command. */
struct cli_spec {
	const char *command;            /**< name of the command */
	const char *operands;           /**< operands as in the help: "TARGET [REGION]..." */
	const char *purpose;            /**< what the command does, printed first in the help */
	const struct cli_group *groups; /**< groups of its options */
	/**
	 * Options that exclude each other. Each string has long names, separated by spaces, of
	 * which at most one may be given, and may end with a colon and what helps, for the message.
	 * The last string is followed by NULL. The field is NULL if all options can be combined.
	 */
	const char *const *exclusive;
	const char *notes;          /**< lines that follow the options, "" if there are none */
	const char *examples[2][2]; /**< two command lines, each with its meaning */
	int operands_min;           /**< minimum number of operands */
	int operands_max;           /**< maximum number of operands, -1 for any number */
	/**
	 * First, the name of an option that does not exist, but that getopt_long() would accept as
	 * the abbreviation of another option. Second, a text that says what to use instead. Both
	 * are NULL if there is no such name.
	 */
	const char *absent[2];
	/**
	 * Options of the tool that people know, which this command does not have: how they are
	 * written, and what to do instead. NULL if there are none. The last entry has NULL.
	 */
	const struct cli_counterpart *counterparts;
	const char *instead_of_first; /**< long names, separated by spaces, of options that replace
	                                 the first operand; NULL if no option does */
};

/** The result of cli_parse(). */
struct cli_result {
	enum status status; /**< exit status, if the command is not to run */
	char **operands;    /**< the operands, in argv */
	int count;          /**< number of operands */
	bool in_session; /**< the command runs in a session, which inserts its TARGET as an operand
	                    if a target is attached */
};

/**
 * Parses the command line of a command. Reports errors, and prints the help and the version.
 *
 * @param spec    the command
 * @param out     receives the help or the version
 * @param argc    number of words, including the name of the command
 * @param argv    the words; reordered, with the operands last
 * @param into    the structure that the groups fill
 * @param result  filled
 * @return        true to run the command, false to end with result->status
 */
bool cli_parse(const struct cli_spec *spec, struct out *out, int argc, char **argv, void *into,
               struct cli_result *result);

/**
 * Checks the number of operands. cli_parse() does not check it, because with some options a command
 * needs no operands.
 *
 * @param spec    the command
 * @param result  the result of cli_parse(), whose status is STATUS_ERROR
 * @return        true if the number is right; otherwise false, after an error was reported
 */
bool cli_check_operands(const struct cli_spec *spec, const struct cli_result *result);

/**
 * Finds the position of an operand in a command line that has not been parsed yet, or the position
 * where it would have to be inserted.
 *
 * @param spec   the command
 * @param argc   number of words, including the name of the command
 * @param argv   the words; unchanged
 * @param which  number of the operand, from 0; if an option of `instead_of_first` is given, 0 is
 *               used instead of this number
 * @param count  receives the number of operands
 * @return       the index in argv of the operand, or of the `--` directly before the operand; argc
 *               if the operand is missing, but none before it is; -1 if earlier operands are
 *               missing as well
 */
int cli_find_operand(const struct cli_spec *spec, int argc, char **argv, int which, int *count);

#endif
