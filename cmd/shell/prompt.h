/* SPDX-License-Identifier: MIT */
/** @file The prompt: reads lines from a terminal and runs them. */
#ifndef CMD_SHELL_PROMPT_H
#define CMD_SHELL_PROMPT_H

#include "shell/session.h"

/**
 * Reads lines from the terminal and runs them until the session ends.
 * @param shell  the session
 */
void shell_prompt(struct shell *shell);

#endif
