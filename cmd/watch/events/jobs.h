/* SPDX-License-Identifier: MIT */
/**
 * @file Commands of the user that run beside `procmem watch`: started by `sh -c`, and told about
 * when they end.
 */
#ifndef CMD_WATCH_EVENTS_JOBS_H
#define CMD_WATCH_EVENTS_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <procmem/error.h>

#include "base/poll_loop.h"

/** Most commands that run at the same time: one that never ends must not pile up. */
enum { JOBS_MAX = 16 };

/** In place of a status of waitpid(2): the command ended, how is not known. */
enum { JOB_STATUS_UNKNOWN = -1 };

/** One command. */
struct job {
	pid_t pid;   /**< its process, 0: this place is free */
	int ended;   /**< descriptor of it that can be read when it ended, -1 where there is none */
	size_t wait; /**< place of that among what is waited for */
	const char *line; /**< what is run */
};

/** All that run. */
struct jobs {
	struct job items[JOBS_MAX];
	size_t count;           /**< places that were used so far */
	struct poll_loop *wait; /**< where their ends are waited for */
};

/**
 * Starts a command in a process group of its own, with the default signals and none of our
 * descriptors: nothing to read, and both outputs go to our standard error.
 *
 * @param jobs     gets it
 * @param line         for `sh -c`; must outlive it
 * @param environment  more variables, `NAME=VALUE`, before a NULL
 * @param silent       what it prints is thrown away
 * @param pid          where to store its PID
 * @param error        PM_ERROR_RESOURCES (too many run), PM_ERROR_IO (no shell)
 * @return             0 or -1
 */
int jobs_start(struct jobs *jobs, const char *line, char *const *environment, bool silent,
               pid_t *pid, struct pm_error *error);

/**
 * Takes note of one that ended.
 *
 * @param jobs  all that run
 * @param job   which it was; what stands there stays valid until the next is started
 * @param status    how it ended, see waitpid(2), or JOB_STATUS_UNKNOWN
 * @return          false: none ended
 */
bool jobs_reap(struct jobs *jobs, struct job *job, int *status);

/**
 * Whether any still runs.
 * @param jobs all that were started
 * @return true or false
 */
bool jobs_run(const struct jobs *jobs);

/**
 * Leaves those that still run to themselves, without waiting for them; no zombies remain. @param
 * jobs all that run
 */
void jobs_leave(struct jobs *jobs);

#endif
