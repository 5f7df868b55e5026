/* SPDX-License-Identifier: MIT */
/** @file `procmem leaks`: chunks of malloc that nothing points to. */
#ifndef CMD_LEAKS_LEAKS_H
#define CMD_LEAKS_LEAKS_H

#include "base/out.h"
#include "cli/cli.h"
#include "cli/command.h"

/**
 * Runs `procmem leaks`.
 * @see command.run
 */
enum status leaks_run(struct out *out, int argc, char **argv);

/** The command line of `procmem leaks`. */
extern const struct cli_spec leaks_spec;

#endif
