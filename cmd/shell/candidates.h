/* SPDX-License-Identifier: MIT */
/** @file The words among which the Tab key chooses. Nothing here knows the terminal. */
#ifndef CMD_SHELL_CANDIDATES_H
#define CMD_SHELL_CANDIDATES_H

#include "shell/shell.h"

/** Words that begin as what is typed. */
struct candidates {
	const char *begin; /**< what is typed of the word */
	char **items;      /**< they; each, and the array, are free()d by who has them */
	size_t count;      /**< how many */
};

/**
 * Adds a word if it begins as what is typed; one that would have to be quoted is left out. @param
 * candidates gets it
 * @param word it
 */
void candidates_add(struct candidates *candidates, const char *word);

/**
 * Adds the commands.
 * @param candidates gets them
 * @param builtins also those that only a session has
 */
void candidates_add_commands(struct candidates *candidates, bool builtins);

/**
 * Adds the options of a command.
 * @param candidates gets them
 * @param spec its command line
 */
void candidates_add_options(struct candidates *candidates, const struct cli_spec *spec);

/**
 * Adds the numbers of results.
 * @param candidates gets them
 * @param results they
 */
void candidates_add_numbers(struct candidates *candidates, const struct results *results);

/**
 * Adds the names of kinds.
 * @param candidates gets them
 */
void candidates_add_kinds(struct candidates *candidates);

/**
 * Adds the names of mappings.
 *
 * @param candidates  gets them
 * @param target      whose
 * @param files       those of files, else those in brackets, which are a REGION
 */
void candidates_add_mappings(struct candidates *candidates, const struct target *target,
                             bool files);

/**
 * Adds processes: by name, and by PID once a digit is typed.
 * @param candidates gets them
 */
void candidates_add_processes(struct candidates *candidates);

/**
 * Adds what an option takes.
 *
 * @param candidates  gets it
 * @param target      what the session looks at
 * @param command     the command
 * @param option      its option, one with an argument
 * @param by          what `--by` of the same line says, NULL for nothing: sums have columns of
 * their own
 * @return            false: it takes the name of a file
 */
bool candidates_add_argument(struct candidates *candidates, const struct target *target,
                             const struct command *command, const struct cli_option *option,
                             const char *by);

#endif
