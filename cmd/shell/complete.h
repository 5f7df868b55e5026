/* SPDX-License-Identifier: MIT */
/** @file Completion of command lines with readline. */
#ifndef CMD_SHELL_COMPLETE_H
#define CMD_SHELL_COMPLETE_H

#include "shell/session.h"

/**
 * Makes the Tab key complete the typed word.
 * @param shell  the session; must exist as long as lines are read
 */
void shell_complete_start(struct shell *shell);

#endif
