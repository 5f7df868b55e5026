/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What takes long beside a screen that goes on: done by a child process, which sees everything as
 * it was when it started. So it costs nothing of what watching may, and is rid of by a signal.
 */
#ifndef CMD_WATCH_SCREEN_TASK_H
#define CMD_WATCH_SCREEN_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/poll_loop.h"
#include "base/text.h"

/** Where the child tells how far it has come; opaque. */
struct screen_task_line;

/**
 * Tells how far it has come: at once the first time, then ten times a second at most.
 *
 * @param line   as handed to the work
 * @param done   bytes of the way so far
 * @param total  bytes of all of it, 0 where that is not known
 */
void screen_task_report(struct screen_task_line *line, uint64_t done, uint64_t total);

/**
 * What the child does.
 *
 * @param context  as given to screen_task_start()
 * @param line     for screen_task_report()
 * @param cancel   becomes non-zero when it shall end
 * @param answer   gets what is to be handed back
 * @param error    filled on failure
 * @return         0 or -1
 */
typedef int screen_task_work(void *context, struct screen_task_line *line,
                             const volatile sig_atomic_t *cancel, struct text *answer,
                             struct pm_error *error);

/** A task. Zeroed: none was started yet. */
struct screen_task {
	pid_t pid;              /**< the child, 0: nothing runs */
	int from;               /**< what it tells can be read here */
	struct poll_loop *wait; /**< where that is waited for, from the first start on */
	size_t place;           /**< its place there */
	struct text received;   /**< what was read, and is no whole message yet */
	bool cancelled;         /**< it was asked to end */
	bool answered;          /**< the answer is there */
	uint64_t done, total;   /**< how far it has come, see screen_task_report() */
	struct text answer;     /**< what it handed back */
	struct pm_error error;  /**< why there is no answer */
};

/**
 * Starts one. None may run.
 *
 * @param task     gets it
 * @param wait     lets it be waited for, always the same; its interruption is what cancels
 * @param work     what to do
 * @param context  for that
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int screen_task_start(struct screen_task *task, struct poll_loop *wait, screen_task_work *work,
                      void *context, struct pm_error *error);

/**
 * Whether one runs.
 * @param task the task
 * @return true or false
 */
static inline bool screen_task_runs(const struct screen_task *task)
{
	return task->pid != 0;
}

/**
 * Takes what it told since, after poll_loop_wait().
 * @param task the task
 * @return whether it told anything; it may run no more then
 */
bool screen_task_receive(struct screen_task *task);

/**
 * Asks it to end, which it tells when it has cleaned up.
 * @param task the task
 */
void screen_task_cancel(struct screen_task *task);

/**
 * Cancels it, and waits until it has cleaned up, for some seconds at most: then it is left to
 * itself.
 *
 * @param task  runs or not; its end can be seen as after screen_task_receive()
 */
void screen_task_end(struct screen_task *task);

/**
 * Releases it.
 * @param task runs no more
 */
void screen_task_deinit(struct screen_task *task);

#endif
