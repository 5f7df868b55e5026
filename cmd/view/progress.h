/* SPDX-License-Identifier: MIT */
/** @file One line on stderr that tells how far a long command has come. */
#ifndef CMD_VIEW_PROGRESS_H
#define CMD_VIEW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Told how far something has come.
 * @param context of the listener
 * @param done, total bytes of the way
 */
typedef void progress_listener(void *context, uint64_t done, uint64_t total);

/** A progress line. */
struct progress {
	bool wanted;                 /**< stderr is a terminal, and nobody asked for quiet */
	uint64_t begin;              /**< when it began, in microseconds */
	uint64_t shown;              /**< when it was written last, 0 for never */
	progress_listener *listener; /**< told in place of stderr, each time; NULL for nobody; set
	                                after progress_init() */
	void *context;               /**< of that */
};

/**
 * Starts.
 * @param progress filled
 * @param quiet whether nothing is to be shown
 */
void progress_init(struct progress *progress, bool quiet);

/**
 * Whether it is time to show it: after a second, and five times a second at most.
 * @param progress it
 * @return true or false
 */
bool progress_due(const struct progress *progress);

/**
 * Shows how far it has come.
 * @param progress it
 * @param done, total bytes of the way
 * @param bytes copied
 */
void progress_show(struct progress *progress, uint64_t done, uint64_t total, uint64_t bytes);

/**
 * Wipes the line away.
 * @param progress it
 */
void progress_end(struct progress *progress);

#endif
