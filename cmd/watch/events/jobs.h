/* SPDX-License-Identifier: MIT */
/** @file Commands of the user that run concurrently, started by `sh -c`. */
#ifndef CMD_WATCH_EVENTS_JOBS_H
#define CMD_WATCH_EVENTS_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <procmem/error.h>

#include "base/poll_loop.h"

/** Maximum number of commands that run at the same time, in case they never end. */
enum { JOBS_MAX = 16 };

/** Instead of a status of waitpid(2): the command ended, and its status is not known. */
enum { JOB_STATUS_UNKNOWN = -1 };

/** A command. */
struct job {
	pid_t pid;        /**< its process, 0: this place is free */
	int ended;        /**< descriptor that becomes readable when it ends, -1: none */
	size_t wait;      /**< index of that descriptor in the poll loop */
	const char *line; /**< the command */
};

/** All commands. */
struct jobs {
	struct job items[JOBS_MAX];
	size_t count;           /**< number of places that were ever used */
	struct poll_loop *wait; /**< waits for their ends */
};

/**
 * Starts a command in a process group of its own, with default signals and none of our descriptors.
 * Its standard input is empty; both outputs go to our standard error.
 *
 * @param jobs         receives the command
 * @param line         for `sh -c`; must outlive the command
 * @param environment  more variables, `NAME=VALUE`; NULL ends the list
 * @param silent       the output is discarded
 * @param pid          receives the PID
 * @param error        PM_ERROR_RESOURCES (too many commands), PM_ERROR_IO (no shell)
 * @return             0 or -1
 */
int jobs_start(struct jobs *jobs, const char *line, char *const *environment, bool silent,
               pid_t *pid, struct pm_error *error);

/**
 * Finds a command that has ended, and frees its place.
 *
 * @param jobs    all commands
 * @param job     receives the command
 * @param status  receives its status as of waitpid(2), or JOB_STATUS_UNKNOWN
 * @return        false: none has ended
 */
bool jobs_reap(struct jobs *jobs, struct job *job, int *status);

/**
 * Whether a command is running.
 * @param jobs all commands
 * @return true or false
 */
bool jobs_run(const struct jobs *jobs);

/**
 * Leaves the commands running, without waiting for them. They do not become zombies.
 * @param jobs all commands; empty afterwards
 */
void jobs_leave(struct jobs *jobs);

#endif
