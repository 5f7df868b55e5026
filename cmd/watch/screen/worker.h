/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What takes long and goes on beside the live screen: reading the text of a row, writing its bytes
 * to a file. One thing at a time.
 */
#ifndef CMD_WATCH_SCREEN_WORKER_H
#define CMD_WATCH_SCREEN_WORKER_H

#include "watch/screen/task.h"
#include "watch/watch.h"

struct screen;

/** What it can be. */
enum screen_worker_kind {
	WATCH_READS_TEXT,  /**< of the newest pages of a row, shown in a pane then */
	WATCH_WRITES_FILE, /**< the bytes of a row */
};

/** It. Zeroed: nothing. */
struct screen_worker {
	struct screen_task task;      /**< doing it */
	enum screen_worker_kind kind; /**< what */
	struct text path;             /**< of the file */
};

/**
 * Starts to read.
 * @param screen with nothing going on
 * @param row whose pages
 */
void screen_worker_read_text(struct screen *screen, const struct watch_row *row);

/**
 * Starts to write.
 * @param screen with nothing going on
 * @param row whose bytes
 * @param path of the file, which must not exist yet
 */
void screen_worker_write_file(struct screen *screen, const struct watch_row *row, const char *path);

/**
 * Whether something goes on, where a key asks for more: the same thing is cancelled, and of another
 * one it is said that it has to wait.
 *
 * @param screen  the screen
 * @param wanted  what the key asks for
 * @return        true: nothing can be started now
 */
bool screen_worker_is_busy(struct screen *screen, enum screen_worker_kind wanted);

/**
 * Cancels what goes on.
 * @param screen the screen
 * @return false where nothing does
 */
bool screen_worker_cancel(struct screen *screen);

/**
 * Takes what it told since, after poll_loop_wait(), and shows that.
 * @param screen the screen
 */
void screen_worker_receive(struct screen *screen);

/**
 * Adds how far it has come.
 * @param work what goes on
 * @param text gets it; nothing where nothing does
 */
void screen_worker_describe(const struct screen_worker *work, struct text *text);

/**
 * Cancels it at the end of the screen.
 *
 * @param work  what may go on; ended then
 * @param told  gets what became of it, a line, where there is anything to be told
 */
void screen_worker_end(struct screen_worker *work, struct text *told);

#endif
