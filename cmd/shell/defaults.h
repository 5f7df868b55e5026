/* SPDX-License-Identifier: MIT */
/** @file The builtin command `set`: default options of commands. */
#ifndef CMD_SHELL_DEFAULTS_H
#define CMD_SHELL_DEFAULTS_H

#include "cli/command.h"
#include "shell/session.h"

/**
 * Returns the options that `set` adds after the name of a command.
 *
 * @param shell    the session
 * @param command  the command, from the table of commands
 * @return         the words, each NUL-terminated
 */
const struct text *shell_defaults_of(const struct shell *shell, const struct command *command);

/**
 * Releases the options of all commands.
 * @param shell  the session
 */
void shell_defaults_forget(struct shell *shell);

/** Runs `set`. @see shell_builtin.run */
enum status shell_defaults_set_run(struct shell *shell, struct out *out, int argc, char **argv);

#endif
