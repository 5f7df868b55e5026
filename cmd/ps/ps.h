/* SPDX-License-Identifier: MIT */
/** @file `procmem ps` lists processes by memory. */
#ifndef CMD_PS_PS_H
#define CMD_PS_PS_H

#include "cli/command.h"

/** Runs `procmem ps`. @see command.run */
enum status ps_run(struct out *out, int argc, char **argv);

/** The command line of `procmem ps`. */
extern const struct cli_spec ps_spec;

#endif
