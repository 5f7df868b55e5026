/* SPDX-License-Identifier: MIT */
/** @file The command `heap`. */
#ifndef CMD_HEAP_HEAP_H
#define CMD_HEAP_HEAP_H

#include "cli/cli.h"

/** The command line of `heap`. */
extern const struct cli_spec heap_spec;

/**
 * Runs `heap`.
 *
 * @param out   receives the result
 * @param argc  number of words, including the name of the command
 * @param argv  the words; reordered
 * @return      exit status
 */
enum status heap_run(struct out *out, int argc, char **argv);

#endif
