/* SPDX-License-Identifier: MIT */
/** @file FILL prompt.c */
#ifndef CMD_SHELL_PROMPT_H
#define CMD_SHELL_PROMPT_H

#include "shell/shell.h"

/**
 * Reads lines from a terminal and runs them until the user leaves.
 * @param shell the session
 */
void shell_prompt(struct shell *shell);

/** `history`. @see shell_builtin.run */
enum status shell_prompt_history_run(struct shell *shell, struct out *out, int argc, char **argv);

#endif
