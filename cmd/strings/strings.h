/* SPDX-License-Identifier: MIT */
/** @file `procmem strings`. */
#ifndef CMD_STRINGS_STRINGS_H
#define CMD_STRINGS_STRINGS_H

#include "cli/command.h"

/**
 * Runs `procmem strings`.
 * @see command.run
 */
enum status strings_run(struct out *out, int argc, char **argv);

/** The command line of `procmem strings`. */
extern const struct cli_spec strings_spec;

#endif
