/* SPDX-License-Identifier: MIT */
/** @file A command. The program and the shell have tables of commands. */
#ifndef CMD_CLI_COMMAND_H
#define CMD_CLI_COMMAND_H

#include "base/out.h"
#include "base/status.h"
#include "cli/cli.h"

/** One command. */
struct command {
	const char *name;    /**< first word of its command line */
	const char *summary; /**< what the command does, for one line of the program's help */
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
	int target; /**< number of the operand that is the TARGET, from 0, or -1 if the command has
	               no TARGET. A session inserts its own TARGET as this operand */
	const char *group; /**< heading of the program's help above the command, one word. The
	                      commands of a group follow one another */
};

#endif
