/* SPDX-License-Identifier: MIT */
/** @file `procmem grep`. */
#ifndef CMD_GREP_GREP_H
#define CMD_GREP_GREP_H

#include "cli/command.h"
#include "grep/options.h"

/**
 * Runs `procmem grep`.
 * @see command.run
 */
enum status grep_run(struct out *out, int argc, char **argv);

#endif
