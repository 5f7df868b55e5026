/* SPDX-License-Identifier: MIT */
/** @file FILL defaults.c */
#ifndef CMD_SHELL_DEFAULTS_H
#define CMD_SHELL_DEFAULTS_H

#include "shell/shell.h"

/**
 * The words that `set` puts behind a command's name.
 *
 * @param shell    the session
 * @param command  it
 * @return         a text of words, each ending in NUL
 */
const struct text *shell_defaults(const struct shell *shell, const struct command *command);

/**
 * Releases what `set` said.
 * @param shell the session
 */
void shell_defaults_forget(struct shell *shell);

/** `set`. @see shell_builtin.run */
enum status shell_defaults_set_run(struct shell *shell, struct out *out, int argc, char **argv);

#endif
