/* SPDX-License-Identifier: MIT */
/** @file A command, as the tables of the program and of a session list it. */
#ifndef CMD_CLI_COMMAND_H
#define CMD_CLI_COMMAND_H

#include "base/out.h"
#include "base/status.h"
#include "cli/cli.h"

/** One command. */
struct command {
	const char *name;    /**< first word of its command line */
	const char *summary; /**< what it does, in a line of the program's help */
	/**
	 * Runs it.
	 *
	 * @param out   where its result goes
	 * @param argc  number of words, its name included
	 * @param argv  the words; reordered
	 * @return      exit status
	 */
	enum status (*run)(struct out *out, int argc, char **argv);
	const struct cli_spec *spec; /**< its command line */
	int target; /**< which of its operands is the TARGET, from 0 on, that a session adds; -1 for
	               none */
};

#endif
