/* SPDX-License-Identifier: MIT */
/**
 * @file The table of commands. The shell is not in it: it runs them all, and only the program
 * itself starts it.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cli/command.h"

/** All commands but the shell, in the order of the help; the name of the last entry is NULL. */
extern const struct command commands[];

/**
 * Finds a command.
 * @param name its name
 * @return the command, or NULL
 */
const struct command *commands_find(const char *name);

#endif
