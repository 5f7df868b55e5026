/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A walk over the heap of a watched process. For the live screen, it runs in a thread of its own,
 * so that the screen continues during the walk.
 */
#ifndef CMD_WATCH_HEAP_WALK_H
#define CMD_WATCH_HEAP_WALK_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include <procmem/cohorts.h>
#include <procmem/histogram.h>
#include <procmem/process.h>

#include "target/chunk_contents.h"
#include "target/malloc_heap.h"

/**
 * The walks over a heap: one at a time. While a walk runs, only `runs` and `cancelled` may be used.
 */
struct watch_heap_walk {
	struct pm_process *process; /**< the process; must outlive the walks */
	const char *word;           /**< the TARGET, for errors; must outlive the walks */
	bool keep;                  /**< keep the chunks of each walk in `chunks` */
	bool background;            /**< walk in a thread */
	/** Ends the walk if it is not 0: `cancelled`, or the flag of interrupt_flag() */
	const volatile sig_atomic_t *cancel;

	bool runs;              /**< a thread walks */
	sig_atomic_t cancelled; /**< not 0: watch_heap_walk_cancel() was called */
	pthread_t thread;

	/* The first walk, whose memory finds the types. Its heap is closed. */
	struct pm_regions regions;
	struct malloc_heap first;
	struct chunk_contents contents;

	struct pm_cohorts *cohorts; /**< the chunks of the walks; NULL before the first walk */
	struct pm_histogram chunks; /**< the chunks in use of the last walk, with `keep` */
	int result;                 /**< of the last walk: 0 or -1 */
	bool complete;              /**< the last walk has seen all chunks */
	double cpu;                 /**< CPU time of the last walk in seconds */
	struct pm_error error;      /**< why the last walk failed */
};

/**
 * Prepares the walks.
 *
 * @param walk        filled; release with watch_heap_walk_deinit(), and do not move it
 * @param process     the process; must outlive the walks
 * @param word        the TARGET, for errors; must outlive the walks
 * @param background  walk in a thread
 */
void watch_heap_walk_init(struct watch_heap_walk *walk, struct pm_process *process,
                          const char *word, bool background);

/**
 * Cancels a walk that runs, and releases the walks.
 * @param walk  the walks
 */
void watch_heap_walk_deinit(struct watch_heap_walk *walk);

/**
 * Starts a walk. Without `background`, the walk has ended when the function returns.
 * @param walk  the walks; none runs
 */
void watch_heap_walk_start(struct watch_heap_walk *walk);

/**
 * Waits for the end of a walk.
 *
 * @param walk     the walks
 * @param seconds  maximum time to wait; 0: do not wait
 * @return         true if no walk runs
 */
bool watch_heap_walk_await(struct watch_heap_walk *walk, double seconds);

/**
 * Cancels a walk that runs, and waits for its end.
 * @param walk  the walks
 */
void watch_heap_walk_cancel(struct watch_heap_walk *walk);

#endif
