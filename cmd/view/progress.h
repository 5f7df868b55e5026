/* SPDX-License-Identifier: MIT */
/** @file A line on stderr that shows the progress of a long command. */
#ifndef CMD_VIEW_PROGRESS_H
#define CMD_VIEW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Receives the progress instead of stderr.
 *
 * @param context  context of the listener
 * @param done     number of bytes processed
 * @param total    number of bytes to process
 */
typedef void progress_listener(void *context, uint64_t done, uint64_t total);

/** A progress line. */
struct progress {
	bool wanted;                 /**< stderr is a terminal, and --quiet was not given */
	uint64_t begin;              /**< start time, in microseconds */
	uint64_t shown;              /**< time when the line was last written, 0 for never */
	progress_listener *listener; /**< function that progress_show() calls instead of writing to
	                                stderr; NULL to write to stderr. The caller sets this field
	                                after progress_init() */
	void *context;               /**< context of the listener */
};

/**
 * Starts the progress line.
 *
 * @param progress  filled
 * @param quiet     whether to show nothing
 */
void progress_init(struct progress *progress, bool quiet);

/**
 * Checks whether to show the progress now: after the first second, at most five times a second.
 *
 * @param progress  the progress line
 * @return          true if progress_show() is to be called
 */
bool progress_due(const struct progress *progress);

/**
 * Shows the progress.
 *
 * @param progress  the progress line
 * @param done      number of bytes processed
 * @param total     number of bytes to process
 * @param bytes     number of bytes copied, for the rate
 */
void progress_show(struct progress *progress, uint64_t done, uint64_t total, uint64_t bytes);

/**
 * Clears the line.
 * @param progress  the progress line
 */
void progress_end(struct progress *progress);

#endif
