/* SPDX-License-Identifier: MIT */
/** @file Commands of the user that run concurrently, started by `sh -c`. */
#ifndef CMD_WATCH_EVENTS_JOBS_H
#define CMD_WATCH_EVENTS_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <procmem/error.h>

#include "base/poll_loop.h"

/**
 * Maximum number of commands that run at the same time. This maximum is reached only if commands do
 * not end.
 */
enum { JOBS_MAX = 16 };

/** Used instead of a status of waitpid(2): the command ended, and its status is not known. */
enum { JOB_STATUS_UNKNOWN = -1 };

/** A command. */
struct job {
	pid_t pid;   /**< PID of the command; 0: this element is unused */
	int ended;   /**< descriptor that becomes readable when the command ends; -1 if it could not
	                be opened */
	size_t wait; /**< index of that descriptor in the poll loop */
	const char *line; /**< the command */
};

/** All commands. */
struct jobs {
	struct job items[JOBS_MAX];
	size_t count;           /**< number of elements of `items` that were ever used */
	struct poll_loop *wait; /**< waits for the ends of the commands */
};

/**
 * Starts a command in a process group of its own, with default signal actions. The standard input
 * of the command is empty. Its standard output and standard error go to the standard error of this
 * process. It inherits no other descriptors.
 *
 * @param jobs         receives the command
 * @param line         the command for `sh -c`; must outlive the command
 * @param environment  additional variables, `NAME=VALUE`; NULL ends the list
 * @param silent       true: the output of the command is discarded
 * @param pid          receives the PID
 * @param error        PM_ERROR_RESOURCES (too many commands), PM_ERROR_IO (no shell)
 * @return             0 or -1
 */
int jobs_start(struct jobs *jobs, const char *line, char *const *environment, bool silent,
               pid_t *pid, struct pm_error *error);

/**
 * Finds a command that has ended, and removes it from the list.
 *
 * @param jobs    all commands
 * @param job     receives the command
 * @param status  receives the status of the command, as from waitpid(2), or JOB_STATUS_UNKNOWN
 * @return        false if no command has ended
 */
bool jobs_reap(struct jobs *jobs, struct job *job, int *status);

/**
 * Checks whether a command is running.
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
