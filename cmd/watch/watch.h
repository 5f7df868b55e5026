/* SPDX-License-Identifier: MIT */
/** @file The command `procmem watch`. */
#ifndef CMD_WATCH_WATCH_H
#define CMD_WATCH_WATCH_H

#include "cli/cli.h"
#include "cli/command.h"

/**
 * Runs `procmem watch`.
 * @see command.run
 */
enum status watch_run(struct out *out, int argc, char **argv);

/** The command line of `procmem watch`. */
extern const struct cli_spec watch_spec;

#endif
