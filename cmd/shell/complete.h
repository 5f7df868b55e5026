/* SPDX-License-Identifier: MIT */
/** @file FILL complete.c */
#ifndef CMD_SHELL_COMPLETE_H
#define CMD_SHELL_COMPLETE_H

#include "shell/shell.h"

/**
 * Makes the Tab key complete what is typed.
 * @param shell the session; must live as long as lines are read
 */
void shell_complete_start(struct shell *shell);

#endif
