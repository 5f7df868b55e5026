/* SPDX-License-Identifier: MIT */
/**
 * @file The table of commands. It does not contain `shell`, which runs all others and which only
 * the program itself starts.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cli/command.h"

/** All commands except the shell, in the order of the help; ends with one whose name is NULL. */
extern const struct command commands[];

/**
 * Finds a command.
 *
 * @param name  its name
 * @return      the command, NULL if there is none
 */
const struct command *commands_find(const char *name);

#endif
