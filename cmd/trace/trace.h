/* SPDX-License-Identifier: MIT */
/** @file The command `trace`. */
#ifndef CMD_TRACE_TRACE_H
#define CMD_TRACE_TRACE_H

#include "cli/cli.h"

/** The command line of `trace`. */
extern const struct cli_spec trace_spec;

/**
 * Runs `trace`.
 *
 * @param out   receives the result
 * @param argc  number of words, including the name of the command
 * @param argv  the words; reordered
 * @return      exit status
 */
enum status trace_run(struct out *out, int argc, char **argv);

#endif
