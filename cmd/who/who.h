/* SPDX-License-Identifier: MIT */
/** @file `procmem who`: which processes use a file or shared memory. */
#ifndef CMD_WHO_WHO_H
#define CMD_WHO_WHO_H

#include <stdbool.h>

#include "base/out.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/options.h"

/** The parsed options of `procmem who`. */
struct who_options {
	bool all;       /**< show all lines */
	double seconds; /**< duration of --for; 0 if it was not given */
	struct output_options output;
};

/**
 * Runs `procmem who`.
 * @see command.run
 */
enum status who_run(struct out *out, int argc, char **argv);

/** The command line of `procmem who`. */
extern const struct cli_spec who_spec;

#endif
