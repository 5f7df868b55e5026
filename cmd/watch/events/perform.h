/* SPDX-License-Identifier: MIT */
/** @file Performs the actions of `procmem watch --do` when a condition is met. */
#ifndef CMD_WATCH_EVENTS_PERFORM_H
#define CMD_WATCH_EVENTS_PERFORM_H

#include "base/text.h"
#include "watch/events/action.h"
#include "watch/events/evaluate.h"
#include "watch/events/jobs.h"
#include "watch/run.h"

/** The outcome of an action. */
struct perform_outcome {
	struct pm_error error; /**< reason of the failure; PM_ERROR_NONE if the action succeeded */
	struct text file;      /**< the file that was written */
	uint64_t number;       /**< ACTION_SNAP: number of the sample in that file */
	size_t findings;       /**< ACTION_WHY: number of findings that need attention */
	uint64_t bytes;        /**< ACTION_DUMP: number of bytes written */
	pid_t pid;             /**< ACTION_EXEC: PID of the command */
};

/** The event for which actions are performed. */
struct perform_event {
	const struct watch_run *run;
	const struct watch_history *history;
	const struct firing *firing; /**< the condition that was met */
	uint64_t number;             /**< number of the event, from 1 */
	struct jobs *jobs;           /**< runs commands */
	bool silent;                 /**< the output of commands is discarded */
};

/**
 * Performs an action; ACTION_EXIT does nothing. Existing files are not overwritten: ACTION_DUMP
 * and ACTION_WHY append a number to the name of the file, ACTION_SNAP appends the sample to the
 * recording.
 *
 * @param action   the action
 * @param event    the event
 * @param outcome  filled; release with perform_outcome_deinit()
 */
void perform_action(const struct action *action, const struct perform_event *event,
                    struct perform_outcome *outcome);

/**
 * Releases an outcome.
 * @param outcome as filled
 */
void perform_outcome_deinit(struct perform_outcome *outcome);

#endif
