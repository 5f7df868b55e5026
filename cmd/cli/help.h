/* SPDX-License-Identifier: MIT */
/** @file The help of a command, made from the description of its command line. */
#ifndef CMD_CLI_HELP_H
#define CMD_CLI_HELP_H

#include "cli/cli.h"

/** The options that all commands have: --help and --version. */
extern const struct cli_option cli_help_options[];

/**
 * Prints the help of a command.
 *
 * @param spec  the command
 * @param out   receives the help
 */
void cli_help_print(const struct cli_spec *spec, struct out *out);

/**
 * Prints lines that are written for 80 columns. On a narrower terminal the lines are joined and
 * broken again.
 *
 * @param lines   the lines, without a final newline
 * @param column  indentation of the lines; the cursor must already be at this column
 * @param out     receives the lines
 */
void cli_help_print_lines(const char *lines, size_t column, struct out *out);

#endif
