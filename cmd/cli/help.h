/* SPDX-License-Identifier: MIT */
/** @file FILL help.c */
#ifndef CMD_CLI_HELP_H
#define CMD_CLI_HELP_H

#include "cli/cli.h"

/**
 * Prints the help of a command.
 * @param spec the command
 * @param out where to
 */
void cli_help_print(const struct cli_spec *spec, struct out *out);

/**
 * Prints lines that are made for the usual width; on a narrower terminal they flow.
 *
 * @param lines   without a newline behind the last
 * @param column  where each begins; the first is there already
 * @param out     where to
 */
void cli_help_print_lines(const char *lines, size_t column, struct out *out);

#endif
