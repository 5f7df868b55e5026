/* SPDX-License-Identifier: MIT */
/** @file `procmem diff`: shows how the regions of a process changed between two samples. */
#ifndef CMD_DIFF_DIFF_H
#define CMD_DIFF_DIFF_H

#include "base/out.h"
#include "cli/cli.h"
#include "cli/command.h"

/**
 * Runs `procmem diff`.
 * @see command.run
 */
enum status diff_run(struct out *out, int argc, char **argv);

/** The command line of `procmem diff`. */
extern const struct cli_spec diff_spec;

#endif
