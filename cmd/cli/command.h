/* SPDX-License-Identifier: MIT */
/** @file A command, as listed in the tables of the program and of a session. */
#ifndef CMD_CLI_COMMAND_H
#define CMD_CLI_COMMAND_H

#include "base/out.h"
#include "base/status.h"
#include "cli/cli.h"

/** One command. */
struct command {
	const char *name;    /**< first word of its command line */
	const char *summary; /**< what it does, for one line of the program's help */
	/**
	 * Runs the command.
	 *
	 * @param out   receives the result
	 * @param argc  number of words, including the name of the command
	 * @param argv  the words; reordered
	 * @return      exit status
	 */
	enum status (*run)(struct out *out, int argc, char **argv);
	const struct cli_spec *spec; /**< its command line */
	int target; /**< number of the operand, from 0, that is the TARGET, which a session adds; -1
	               for none */
};

#endif
