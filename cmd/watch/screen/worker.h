/* SPDX-License-Identifier: MIT */
/**
 * @file The background tasks of the live screen: reading the text of a row, writing its bytes to a
 * file, and tracing the code that maps its memory. One task runs at a time; the screen polls its
 * progress and its result.
 */
#ifndef CMD_WATCH_SCREEN_WORKER_H
#define CMD_WATCH_SCREEN_WORKER_H

#include "watch/screen/task.h"
#include "watch/step.h"

/** The kinds of tasks. */
enum screen_worker_kind {
	SCREEN_READS_TEXT,  /**< reads the text in the newest pages of a row */
	SCREEN_WRITES_FILE, /**< writes the bytes of a row to a file */
	SCREEN_TRACES,      /**< finds out which code maps the memory of a row */
};

/** The result of screen_worker_poll(). */
enum screen_worker_event {
	SCREEN_WORKER_NOTHING,  /**< there is nothing new */
	SCREEN_WORKER_PROGRESS, /**< the progress changed */
	SCREEN_WORKER_MESSAGE,  /**< the task ended, and the result is a message of one line */
	SCREEN_WORKER_TEXT, /**< the task ended, and the result is the text that was read: a title
	                       and lines, each ended by a newline */
};

/**
 * A worker, which runs one task at a time. If all members except `wait` are zeroed, the worker is
 * idle.
 */
struct screen_worker {
	struct poll_loop *wait;       /**< waits for the task */
	struct screen_task task;      /**< the task */
	enum screen_worker_kind kind; /**< kind of the task */
	struct text path;             /**< name of the file that is written */
};

/**
 * Starts to read the text in the newest pages of a row.
 * @param worker an idle worker
 * @param watch the watch
 * @param row the row; its track is not a copy
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int screen_worker_read_text(struct screen_worker *worker, const struct watch *watch,
                            const struct watch_row *row, struct pm_error *error);

/**
 * Starts to write the bytes of a row to a file.
 * @param worker an idle worker
 * @param watch the watch
 * @param row the row; its track is not a copy
 * @param path name of the file, which must not exist
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int screen_worker_write_file(struct screen_worker *worker, const struct watch *watch,
                             const struct watch_row *row, const char *path, struct pm_error *error);

/**
 * Starts to trace which code maps and touches the memory of a row.
 * @param worker an idle worker
 * @param watch the watch
 * @param row the row; its track is not a copy
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int screen_worker_trace(struct screen_worker *worker, const struct watch *watch,
                        const struct watch_row *row, struct pm_error *error);

/**
 * Checks whether a task is running.
 * @param worker the worker
 * @return true or false
 */
static inline bool screen_worker_runs(const struct screen_worker *worker)
{
	return screen_task_runs(&worker->task);
}

/**
 * Cancels the task.
 * @param worker the worker, running or idle
 */
void screen_worker_cancel(struct screen_worker *worker);

/**
 * Receives the messages of the task, after poll_loop_wait().
 * @param worker the worker
 * @param result receives the result if the task ended; the lines of SCREEN_WORKER_TEXT are escaped
 * @return the change since the last call
 */
enum screen_worker_event screen_worker_poll(struct screen_worker *worker, struct text *result);

/**
 * Adds the progress of the task.
 * @param worker the worker
 * @param text receives one line, or nothing if the worker is idle
 */
void screen_worker_describe(const struct screen_worker *worker, struct text *text);

/**
 * Cancels the task, waits for its end, and releases the worker.
 * @param worker the worker
 * @param result receives the outcome if a file was being written
 */
void screen_worker_end(struct screen_worker *worker, struct text *result);

#endif
