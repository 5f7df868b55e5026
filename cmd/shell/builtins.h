/* SPDX-License-Identifier: MIT */
/** @file The commands that exist only in a session: attach, x, set, source, ... */
#ifndef CMD_SHELL_BUILTINS_H
#define CMD_SHELL_BUILTINS_H

#include "shell/session.h"

/** A command that exists only in a session. */
struct shell_builtin {
	const char *name;     /**< its name */
	const char *operands; /**< operands as in its help, "" for none */
	bool strict;          /**< the command takes no operands: any operand is an error */
	const char *summary;  /**< what it does, in one line; NULL if `help` does not list it */
	const char *help;     /**< more lines for its help, "" for none */
	/**
	 * Runs the command.
	 *
	 * @param shell  the session
	 * @param out    receives the result
	 * @param argc   number of words, including the name of the command
	 * @param argv   the words
	 * @return       exit status
	 */
	enum status (*run)(struct shell *shell, struct out *out, int argc, char **argv);
};

/** The table of these commands. The name of its last element is NULL. */
extern const struct shell_builtin shell_builtins[];

/**
 * Finds a command.
 *
 * @param name  its name; for `x`, a format may follow: "x/4gx"
 * @return      the command; NULL if there is no such command
 */
const struct shell_builtin *shell_builtins_find(const char *name);

/**
 * Runs a command. If the command is strict, operands are rejected with an error.
 *
 * @param builtin  the command
 * @param shell    the session
 * @param out      receives the result
 * @param argc     number of words, including the name of the command
 * @param argv     the words
 * @return         exit status
 */
enum status shell_builtins_run(const struct shell_builtin *builtin, struct shell *shell,
                               struct out *out, int argc, char **argv);

#endif
