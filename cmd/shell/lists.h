/* SPDX-License-Identifier: MIT */
/**
 * @file The builtin commands `hits` and `regions`, which list the hits and regions that have
 * numbers.
 */
#ifndef CMD_SHELL_LISTS_H
#define CMD_SHELL_LISTS_H

#include "shell/session.h"

/** Runs `hits`. @see shell_builtin.run */
enum status shell_lists_hits_run(struct shell *shell, struct out *out, int argc, char **argv);

/** Runs `regions`. @see shell_builtin.run */
enum status shell_lists_regions_run(struct shell *shell, struct out *out, int argc, char **argv);

#endif
