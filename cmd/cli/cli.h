/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The command line of one command, from one description: what parses it also prints its `--help`.
 *
 * Options may stand anywhere, long ones may be shortened, `--` ends them. `--help` and `--version`
 * exist everywhere.
 */
#ifndef CMD_CLI_CLI_H
#define CMD_CLI_CLI_H

#include <procmem/error.h>

#include "base/out.h"
#include "base/report.h"

/** Options without a letter are numbered from here in their group's enum. */
enum { CLI_LONG_ONLY = 256 };

/** Longest list of options that a command may have, those of all its groups together. */
enum { CLI_OPTIONS_MAX = 64 };

/** One option. A list of them ends with one whose name is NULL. */
struct cli_option {
	int id;               /**< its letter, or a number from CLI_LONG_ONLY on */
	const char *name;     /**< long name */
	const char *argument; /**< what its argument is called in the help, NULL for none; in
	                         brackets: may be left out */
	const char *help;     /**< what it does; further lines after a newline */
};

/**
 * Takes one option of a group.
 *
 * @param into   the structure that the group fills
 * @param id     of the option
 * @param value  its argument, NULL for none
 * @param error  PM_ERROR_USAGE; the option's name is put before the text
 * @return       0 or -1
 */
typedef int cli_take(void *into, int id, const char *value, struct pm_error *error);

/** Options that belong together. A list of them ends with one whose options are NULL. */
struct cli_group {
	const char *heading;              /**< what stands above them in the help */
	const struct cli_option *options; /**< they */
	cli_take *take;                   /**< stores one */
	size_t offset; /**< where the structure that it fills lies in the one handed to cli_parse(),
	                  in bytes */
};

/** One command. */
struct cli_spec {
	const char *command;            /**< its name */
	const char *operands;           /**< as in the help: "TARGET [REGION]..." */
	const char *purpose;            /**< what it does, for the head of the help */
	const struct cli_group *groups; /**< its options */
	const char *const *exclusive; /**< each text lists long names, separated by blanks, of which
	                                 one may be given; NULL ends the list */
	const char *notes;            /**< whole lines behind the options, "" for none */
	const char *examples[2][2];   /**< two command lines, each with what it does */
	int operands_min;             /**< fewest operands */
	int operands_max;             /**< most operands, -1 for any number */
	const char *absent[2]; /**< a name that getopt_long() would take as short for another, and
	                          what to use; NULL */
	const char *instead_of_first; /**< long names, separated by blanks, of options that take the
	                                 place of the first operand; NULL: none */
};

/** What cli_parse() found. */
struct cli_result {
	enum status status; /**< exit status where the command is not to run */
	char **operands;    /**< the words that are no options, in argv */
	int count;          /**< how many */
	bool in_session;    /**< a session adds the TARGET, if there is one */
};

/**
 * Parses the command line of a command. Errors are reported, help and version are printed.
 *
 * @param spec    the command
 * @param out     where help and version go
 * @param argc    number of words, the command's name included
 * @param argv    the words; reordered, the operands last
 * @param into    the structure that the groups fill
 * @param result  filled
 * @return        true: go on; false: end with result->status
 */
bool cli_parse(const struct cli_spec *spec, struct out *out, int argc, char **argv, void *into,
               struct cli_result *result);

/**
 * Checks how many operands there are; apart from cli_parse(), because some options need none.
 *
 * @param spec    the command
 * @param result  as parsed; the status is STATUS_ERROR
 * @return        true: as many as there should be; false: it was reported
 */
bool cli_check_operands(const struct cli_spec *spec, const struct cli_result *result);

/**
 * Finds where an operand stands, or belongs, in a command line that is not to be run yet.
 *
 * @param spec   the command
 * @param argc   number of words, the command's name included
 * @param argv   the words; left as they are
 * @param which  the operand, from 0 on, as numbered where no option takes the place of the first
 * @param count  where to store how many operands there are
 * @return       an index in argv: of that operand, of `--` before it, or argc where it would be the
 * next; -1 where others are missing
 */
int cli_find_operand(const struct cli_spec *spec, int argc, char **argv, int which, int *count);

/** Options that all commands have. */
extern const struct cli_option cli_common_options[];

#endif
