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
enum { SHELL_SOURCES_MOST = 16 };

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

/**
 * Finds one.
 * @param name its name; of x also with a format, "x/4gx"
 * @return it, NULL for none
 */
const struct shell_builtin *shell_builtin_find(const char *name);

/* shell_run.c */

/**
 * Runs all statements of a text. Errors are reported.
 *
 * @param shell  the session; its status is that of the last one
 * @param text   the statements
 * @return       false where the session, or the file that the text is from, is to end: by `quit`,
 * or an error without -k in a batch
 */
bool shell_run_text(struct shell *shell, const char *text);

/**
 * Runs the lines of a file.
 * @param shell the session
 * @param path its name, "-" for standard input
 * @return false as shell_run_text()
 */
bool shell_run_file(struct shell *shell, const char *path);

/* shell_system.c */

/** In place of a descriptor: what a command of sh reads. */
enum {
	SHELL_INPUT_SHARED = -1,  /**< what the session reads */
	SHELL_INPUT_NOTHING = -2, /**< nothing */
};

/**
 * Starts a command of sh.
 * @param command it
 * @param input its standard input, or a SHELL_INPUT_
 * @return its PID, -1: it was reported
 */
pid_t shell_system_start(char *command, int input);

/**
 * Waits for the end of a command of sh.
 * @param pid its PID
 * @return its exit status as that of a command
 */
enum status shell_system_await(pid_t pid);

/**
 * `!`.
 * @param shell the session
 * @param command what sh is to run
 * @return exit status
 */
enum status shell_system_run(const struct shell *shell, char *command);

/* shell_target.c */

/**
 * Looks at a target from now on, and says which.
 * @param shell the session
 * @param word TARGET
 * @param out where to
 * @return exit status
 */
enum status shell_attach(struct shell *shell, const char *word, struct out *out);

/**
 * Looks at nothing any more; lets a stopped target run on.
 * @param shell the session
 */
void shell_detach(struct shell *shell);

/**
 * Notices what became of the target, and says it: where it exited nothing is looked at any more,
 * where it called exec what it is now.
 *
 * @param shell   the session
 * @param notice  gets what there is to tell, a sentence; empty for nothing
 */
void shell_notice(struct shell *shell, struct text *notice);

/** `attach`, `detach`, `stop`, `cont` and `info`. @see shell_builtin.run */
enum status shell_attach_run(struct shell *shell, struct out *out, int argc, char **argv);
/** @see shell_attach_run */
enum status shell_detach_run(struct shell *shell, struct out *out, int argc, char **argv);
/** @see shell_attach_run */
enum status shell_stop_run(struct shell *shell, struct out *out, int argc, char **argv);
/** @see shell_attach_run */
enum status shell_cont_run(struct shell *shell, struct out *out, int argc, char **argv);
/** @see shell_attach_run */
enum status shell_info_run(struct shell *shell, struct out *out, int argc, char **argv);

/* shell_results.c */

/**
 * Replaces #3 and #r2 by what they stand for: their address, for `dump` the bytes of a hit; `+LEN`,
 * `-END` and `-#4` behind them stay. The number of a row of several regions becomes a word for each
 * of those that are still there; that some are not is noted.
 *
 * @param shell      the session
 * @param statement  its words are changed
 * @param error      PM_ERROR_USAGE: there is no such result, or the command takes no regions
 * @return           0 or -1
 */
int shell_replace_results(const struct shell *shell, struct shell_statement *statement,
                          struct pm_error *error);

/* shell_lists.c */

/** `hits`. @see shell_builtin.run */
enum status shell_hits_run(struct shell *shell, struct out *out, int argc, char **argv);
/** `regions`. @see shell_builtin.run */
enum status shell_regions_run(struct shell *shell, struct out *out, int argc, char **argv);

/* shell_defaults.c */

/** `set`. @see shell_builtin.run */
enum status shell_set_run(struct shell *shell, struct out *out, int argc, char **argv);

/**
 * The words that `set` puts behind a command's name.
 *
 * @param shell    the session
 * @param command  it
 * @return         a text of words, each ending in NUL
 */
const struct text *shell_defaults(const struct shell *shell, const struct command *command);

/**
 * Releases what `set` said.
 * @param shell the session
 */
void shell_forget_defaults(struct shell *shell);

/* shell_examine.c */

/** `x`. @see shell_builtin.run */
enum status shell_examine_run(struct shell *shell, struct out *out, int argc, char **argv);

/* shell_prompt.c */

/**
 * Reads lines from a terminal and runs them until the user leaves.
 * @param shell the session
 */
void shell_prompt(struct shell *shell);

/** `history`. @see shell_builtin.run */
enum status shell_history_run(struct shell *shell, struct out *out, int argc, char **argv);

/* shell_complete.c */

/**
 * Makes the Tab key complete what is typed.
 * @param shell the session; must live as long as lines are read
 */
void shell_complete_start(struct shell *shell);

/**
 * Runs `procmem shell`.
 * @see command.run
 */
enum status shell_run(struct out *out, int argc, char **argv);

/** The command line of `procmem shell`. */
extern const struct cli_spec shell_spec;

#endif
