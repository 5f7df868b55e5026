/* SPDX-License-Identifier: MIT */
/** @file The commands: for the program's first word, and for whatever else runs them by name. */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include <stddef.h>

#include "cli.h"
#include "out.h"
#include "report.h"

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

/** All commands, in the order of the help; ends with one whose name is NULL. */
extern const struct command commands[];

/**
 * Finds a command.
 * @param name its name
 * @return the command, NULL for none
 */
const struct command *command_find(const char *name);

/**
 * The name that was probably meant.
 * @param name a name that does not exist
 * @return a name, NULL for none that is near
 */
const char *command_nearest(const char *name);

/** `procmem diff`. @see command.run */
enum status diff_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec diff_spec;

/** `procmem dump`. @see command.run */
enum status dump_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec dump_spec;

/** `procmem grep`. @see command.run */
enum status grep_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec grep_spec;

/** `procmem headroom`. @see command.run */
enum status headroom_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec headroom_spec;

/** `procmem map`. @see command.run */
enum status map_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec map_spec;

/** `procmem ps`. @see command.run */
enum status ps_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec ps_spec;

/** `procmem shell`. @see command.run */
enum status shell_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec shell_spec;

/** `procmem snap`. @see command.run */
enum status snap_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec snap_spec;

/** `procmem strings`. @see command.run */
enum status strings_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec strings_spec;

/** `procmem watch`. @see command.run */
enum status watch_run(struct out *out, int argc, char **argv);
/** Its command line. */
extern const struct cli_spec watch_spec;

#endif
