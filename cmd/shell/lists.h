/* SPDX-License-Identifier: MIT */
/** @file FILL lists.c */
#ifndef CMD_SHELL_LISTS_H
#define CMD_SHELL_LISTS_H

#include "shell/shell.h"

/** `hits`. @see shell_builtin.run */
enum status shell_lists_hits_run(struct shell *shell, struct out *out, int argc, char **argv);

/** `regions`. @see shell_builtin.run */
enum status shell_lists_regions_run(struct shell *shell, struct out *out, int argc, char **argv);

#endif
