/* SPDX-License-Identifier: MIT */
/**
 * @file The table of commands. `shell` is not in it: only the program itself starts the shell, and
 * the shell runs the commands of this table.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cli/command.h"

/** All commands except the shell, in the order of the help, by group. The last entry has the name NULL. */
extern const struct command commands[];

/**
 * Finds a command.
 *
 * @param name  name of the command
 * @return      the command; NULL if there is no such command
 */
const struct command *commands_find(const char *name);

#endif
