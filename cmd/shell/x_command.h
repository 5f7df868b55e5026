/* SPDX-License-Identifier: MIT */
/** @file The builtin command `x`, which prints values in memory. */
#ifndef CMD_SHELL_X_COMMAND_H
#define CMD_SHELL_X_COMMAND_H

#include "shell/session.h"

/** Runs `x`. @see shell_builtin.run */
enum status shell_x_command_run(struct shell *shell, struct out *out, int argc, char **argv);

#endif
