/* SPDX-License-Identifier: MIT */
/** @file `procmem shell` runs commands on one target, at a prompt or from a script. */
#ifndef CMD_SHELL_SHELL_H
#define CMD_SHELL_SHELL_H

#include "cli/command.h"

/** Runs `procmem shell`. @see command.run */
enum status shell_run(struct out *out, int argc, char **argv);

/** The command line of `procmem shell`. */
extern const struct cli_spec shell_spec;

#endif
