/* SPDX-License-Identifier: MIT */
/** @file `procmem dump`. */
#ifndef CMD_DUMP_DUMP_H
#define CMD_DUMP_DUMP_H

#include "cli/command.h"

/**
 * Runs `procmem dump`.
 * @see command.run
 */
enum status dump_run(struct out *out, int argc, char **argv);

/** The command line of `procmem dump`. */
extern const struct cli_spec dump_spec;

#endif
