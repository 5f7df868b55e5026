/* SPDX-License-Identifier: MIT */
/** @file `procmem refs`: who points to memory, and why it is still reachable. */
#ifndef CMD_REFS_REFS_H
#define CMD_REFS_REFS_H

#include "base/out.h"
#include "cli/cli.h"
#include "cli/command.h"

/**
 * Runs `procmem refs`.
 * @see command.run
 */
enum status refs_run(struct out *out, int argc, char **argv);

/** The command line of `procmem refs`. */
extern const struct cli_spec refs_spec;

#endif
