/* SPDX-License-Identifier: MIT */
/**
 * @file Runs long work in a child process while the screen continues.
 *
 * The child works on a copy of the memory of this process, made when the task was started. The CPU
 * time of the child does not count against --budget. A signal cancels the task.
 */
#ifndef CMD_WATCH_SCREEN_TASK_H
#define CMD_WATCH_SCREEN_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/poll_loop.h"
#include "base/text.h"

/** The connection of the child to its parent; opaque. */
struct screen_task_line;

/**
 * Reports the progress to the parent: the first call at once, later calls only if at least a tenth
 * of a second has passed since the last report.
 *
 * @param line   as passed to the work
 * @param done   number of bytes done so far
 * @param total  number of bytes to do; 0 if this number is not known
 */
void screen_task_report(struct screen_task_line *line, uint64_t done, uint64_t total);

/**
 * The work of the child.
 *
 * @param context  as passed to screen_task_start()
 * @param line     for screen_task_report()
 * @param cancel   becomes non-zero when the work is cancelled
 * @param answer   receives the result
 * @param error    filled on failure
 * @return         0 or -1
 */
typedef int screen_task_work(void *context, struct screen_task_line *line,
                             const volatile sig_atomic_t *cancel, struct text *answer,
                             struct pm_error *error);

/** A task. A zeroed struct is a task that was never started. */
struct screen_task {
	pid_t pid;              /**< PID of the child; 0 if the task is not running */
	int from;               /**< descriptor from which the messages of the child are read */
	struct poll_loop *wait; /**< waits for `from`; set by the first start */
	size_t place;           /**< index of `from` in `wait` */
	struct text received;   /**< received bytes of a message that is not complete */
	bool cancelled;         /**< the child was sent a signal to end */
	bool answered;          /**< `answer` is complete */
	uint64_t done, total;   /**< the progress, see screen_task_report() */
	struct text answer;     /**< the result */
	struct pm_error error;  /**< why there was no result */
};

/**
 * Starts a task.
 *
 * @param task     the task, not running
 * @param wait     waits for messages; must be the same for all starts of a task. If it is
 *                 interrupted, the work is cancelled
 * @param work     the work
 * @param context  passed to the work
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int screen_task_start(struct screen_task *task, struct poll_loop *wait, screen_task_work *work,
                      void *context, struct pm_error *error);

/**
 * Checks whether a task is running.
 * @param task the task
 * @return true or false
 */
static inline bool screen_task_runs(const struct screen_task *task)
{
	return task->pid != 0;
}

/**
 * Receives the messages of the child, after poll_loop_wait().
 * @param task the task
 * @return true if there were messages; the task may have ended
 */
bool screen_task_receive(struct screen_task *task);

/**
 * Sends a signal to the child to end it. The child continues to run until it has cleaned up.
 * @param task the task, running or not
 */
void screen_task_cancel(struct screen_task *task);

/**
 * Cancels a task, and waits until the child has cleaned up. If this takes more than some seconds,
 * the child is left running.
 *
 * @param task  the task, running or not; its result can be used as after screen_task_receive()
 */
void screen_task_end(struct screen_task *task);

/**
 * Releases a task.
 * @param task the task, not running
 */
void screen_task_deinit(struct screen_task *task);

#endif
