/* SPDX-License-Identifier: MIT */
/** @file The actions of `procmem watch --do`: parsing, and checks at the start. */
#ifndef CMD_WATCH_EVENTS_ACTION_H
#define CMD_WATCH_EVENTS_ACTION_H

#include <procmem/error.h>
#include <procmem/recording.h>

/** The kinds of actions. */
enum action_kind {
	ACTION_EXIT,  /**< end with status 1 */
	ACTION_EXEC,  /**< run a command */
	ACTION_SNAP,  /**< write a sample to a recording */
	ACTION_DUMP,  /**< write the bytes of the region to blame to a file */
	ACTION_WHY,   /**< write the findings so far to a file */
	ACTION_KINDS, /**< number of kinds */
};

/** An action. */
struct action {
	enum action_kind kind;
	const char *argument; /**< a command, or the name of a file with placeholders; "" for
	                         ACTION_EXIT */
};

/**
 * Parses an action: `exit`, `exec:COMMAND`, `snap:FILE`, `dump:FILE`, `why:FILE`. In FILE, %p is
 * the PID, %n the number of the event, %t the time, %k the kind and %a the first address of the
 * region, %% a percent sign.
 *
 * @param action  filled; its argument points into `text`
 * @param text    the text
 * @param error   PM_ERROR_USAGE
 * @return        0 or -1
 */
int action_parse(struct action *action, const char *text, struct pm_error *error);

/**
 * Returns the word for a kind of action, such as "exec".
 * @param kind the kind
 * @return a constant text
 */
const char *action_name(enum action_kind kind);

/**
 * Checks an action before the process is known: the folder of the file must exist, and the file of
 * `snap` must be a recording, empty or new. Parts of the name that contain placeholders are not
 * checked.
 *
 * @param action  the action
 * @param error   PM_ERROR_USAGE with the file
 * @return        0 or -1
 */
int action_check(const struct action *action, struct pm_error *error);

/**
 * Checks an action when the process is known: a recording that receives samples must be of this
 * process. Names with placeholders other than %p are not checked.
 *
 * @param action   the action
 * @param process  the process
 * @param error    PM_ERROR_USAGE with the file, or why the recording cannot be read
 * @return         0 or -1
 */
int action_check_process(const struct action *action, const struct pm_process_id *process,
                         struct pm_error *error);

#endif
