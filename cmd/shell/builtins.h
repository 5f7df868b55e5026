/* SPDX-License-Identifier: MIT */
/** @file FILL builtins.c */
#ifndef CMD_SHELL_BUILTINS_H
#define CMD_SHELL_BUILTINS_H

#include "shell/shell.h"

/**
 * Finds one.
 * @param name its name; of x also with a format, "x/4gx"
 * @return it, NULL for none
 */
const struct shell_builtin *shell_builtins_find(const char *name);

#endif
