/* SPDX-License-Identifier: MIT */
/**
 * @file What `procmem watch` does when a condition is met: run a command, take a sample, dump the
 * region, end.
 */
#ifndef CMD_WATCH_EVENTS_ACTIONS_H
#define CMD_WATCH_EVENTS_ACTIONS_H

#include <procmem/recording.h>

#include "base/text.h"
#include "watch/events/evaluate.h"
#include "watch/events/jobs.h"

/** The sorts of actions. */
enum action_kind {
	ACTION_EXIT, /**< end with status 1 */
	ACTION_EXEC, /**< run a command */
	ACTION_SNAP, /**< write a sample to a recording */
	ACTION_DUMP, /**< write the culprit's bytes to a file */
};

/** One action. */
struct action {
	enum action_kind kind;
	const char *argument; /**< the command, or the name of the file with its placeholders; ""
	                         for ACTION_EXIT */
};

/** What became of an action. */
struct outcome {
	struct pm_error error; /**< PM_ERROR_NONE: it was done; or why not */
	struct text file;      /**< the file that was written */
	uint64_t number;       /**< which sample of it */
	uint64_t bytes;        /**< how many bytes it got */
	pid_t pid;             /**< the command that was started */
};

/**
 * Parses an action: `exit`, `exec:COMMAND`, `snap:FILE`, `dump:FILE`. In FILE, %p is the PID, %n
 * the number of the event, %t the time, %k the kind and %a the first address of the region, %% a
 * percent sign.
 *
 * @param action  filled; refers to the text
 * @param text    the text
 * @param error   PM_ERROR_USAGE
 * @return        0 or -1
 */
int actions_parse(struct action *action, const char *text, struct pm_error *error);

/**
 * Word for a sort of action: "exec".
 * @param kind which
 * @return a constant text
 */
const char *actions_name(enum action_kind kind);

/**
 * Does one. A file that is there already is not overwritten: a dump gets a number behind its name,
 * a sample is added.
 *
 * @param action    the action
 * @param watch     the process
 * @param firing    what was met
 * @param number    the how manieth event it is, from 1
 * @param jobs      where commands run
 * @param silent    what they print is thrown away
 * @param outcome   filled; release with actions_outcome_deinit()
 */
void actions_run(const struct action *action, const struct watch *watch,
                 const struct firing *firing, uint64_t number, struct jobs *jobs, bool silent,
                 struct outcome *outcome);

/**
 * Releases it.
 * @param outcome as filled
 */
void actions_outcome_deinit(struct outcome *outcome);

/**
 * Adds a firing's value as it is compared: an integer, or percent with two decimals.
 * @param text gets it
 * @param firing what was met
 */
void actions_put_value(struct text *text, const struct firing *firing);

#endif
