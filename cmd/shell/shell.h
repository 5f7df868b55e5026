/* SPDX-License-Identifier: MIT */
/** @file What the files of `procmem shell` share: the session, and its parts. */
#ifndef CMD_SHELL_SHELL_H
#define CMD_SHELL_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"
#include "cli/command.h"
#include "commands.h"
#include "shell/line.h"
#include "target/target.h"
#include "view/results.h"

/** Nesting of `source` that is taken for a file that sources itself. */
enum { SHELL_SOURCES_MAX = 16 };

/** A session. */
struct shell {
	struct out *out;         /**< the program's output */
	struct results *results; /**< what has a number */
	struct target target;    /**< what the commands look at; its `word` is NULL for nothing */
	char *word; /**< the TARGET that commands are given: a PID or an absolute path; owned */
	char *name; /**< what it is called, escaped; owned */
	struct text *defaults;   /**< for each command what `set` says: options, separated by NUL */
	struct examine *examine; /**< how and where x went on */
	bool interactive;        /**< somebody types */
	bool keep_going;         /**< -k: an error does not end it */
	bool quit;               /**< nothing more is to be run */
	unsigned sources;        /**< files being run, one within the other */
	bool reads_input;        /**< commands come from standard input, which is no terminal */
	enum status status;      /**< of the last statement */
};

/** A command that only a session has. */
struct shell_builtin {
	const char *name;     /**< its name */
	const char *operands; /**< as in its help, "" for none */
	const char *summary;  /**< what it does, in a line */
	const char *
		help; /**< more about it, lines without a newline behind the last; "" for nothing */
	/**
	 * Runs it.
	 *
	 * @param shell  the session
	 * @param out    where its result goes
	 * @param argc   number of words, its name included
	 * @param argv   the words
	 */
	enum status (*run)(struct shell *shell, struct out *out, int argc, char **argv);
};

/** All of them; ends with one whose name is NULL. */
extern const struct shell_builtin shell_builtins[];

/* shell_run.c */

/* shell_system.c */

/** In place of a descriptor: what a command of sh reads. */
enum {
	SHELL_INPUT_SHARED = -1,  /**< what the session reads */
	SHELL_INPUT_NOTHING = -2, /**< nothing */
};

/* shell_target.c */

/* shell_results.c */

/* shell_lists.c */

/* shell_defaults.c */

/* shell_examine.c */

/* shell_prompt.c */

/* shell_complete.c */

/**
 * Runs `procmem shell`.
 * @see command.run
 */
enum status shell_run(struct out *out, int argc, char **argv);

/** The command line of `procmem shell`. */
extern const struct cli_spec shell_spec;

#endif
