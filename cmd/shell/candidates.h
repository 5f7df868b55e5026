/* SPDX-License-Identifier: MIT */
/** @file The words that the Tab key offers. These functions do not use the terminal or readline. */
#ifndef CMD_SHELL_CANDIDATES_H
#define CMD_SHELL_CANDIDATES_H

#include "cli/command.h"
#include "target/target.h"
#include "view/results.h"

/** The words that start with the text that has been typed. */
struct candidates {
	const char *prefix; /**< the typed part of the word; borrowed */
	char **items;       /**< the words; the caller releases them, and the array, with free() */
	size_t count;       /**< number of words */
};

/**
 * Adds a word if it starts with the prefix. Words that need quotes are omitted.
 *
 * @param candidates  receives the word
 * @param word        the word; copied
 */
void shell_candidates_add(struct candidates *candidates, const char *word);

/**
 * Adds the names of commands.
 *
 * @param candidates  receives the names
 * @param builtins    whether to add the commands that exist only in a session
 */
void shell_candidates_add_commands(struct candidates *candidates, bool builtins);

/**
 * Adds the options of a command.
 *
 * @param candidates  receives the options
 * @param spec        the command line of the command
 */
void shell_candidates_add_options(struct candidates *candidates, const struct cli_spec *spec);

/**
 * Adds the numbers of hits and regions.
 *
 * @param candidates  receives the numbers
 * @param results     the hits and regions
 */
void shell_candidates_add_numbers(struct candidates *candidates, const struct results *results);

/**
 * Adds the names of kinds.
 * @param candidates  receives the names
 */
void shell_candidates_add_kinds(struct candidates *candidates);

/**
 * Adds the names of mappings.
 *
 * @param candidates  receives the names
 * @param target      the process whose mappings are added
 * @param files       true: add the names of files; false: add the names in brackets, such as
 *                    "[heap]", which can be used as a REGION
 */
void shell_candidates_add_mappings(struct candidates *candidates, const struct target *target,
                                   bool files);

/**
 * Adds processes: their PIDs if the prefix is a digit, otherwise their names.
 * @param candidates  receives the processes
 */
void shell_candidates_add_processes(struct candidates *candidates);

/**
 * Adds the values of an option.
 *
 * @param candidates  receives the values
 * @param target      target of the session
 * @param command     the command
 * @param option      an option of the command; the option must have an argument
 * @param by          value of `--by` in the same line, which determines the columns; NULL if the
 *                    line has no `--by`
 * @return            false if the value is the name of a file
 */
bool shell_candidates_add_argument(struct candidates *candidates, const struct target *target,
                                   const struct command *command, const struct cli_option *option,
                                   const char *by);

#endif
