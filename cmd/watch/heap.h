/* SPDX-License-Identifier: MIT */
/**
 * @file Walks over the heap of a watched process (--heap): which classes of chunks grow. The walks
 * take at most half of the CPU time of --budget, except for the first one.
 */
#ifndef CMD_WATCH_HEAP_H
#define CMD_WATCH_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/census.h>
#include <procmem/histogram.h>
#include <procmem/process.h>
#include <procmem/sample.h>
#include <procmem/trend.h>

/** Walks over a heap; opaque. */
struct watch_heap;

/** The walks so far. */
struct watch_heap_walks {
	uint64_t count;      /**< number of walks that succeeded */
	double cpu;          /**< CPU time of all walks, in seconds */
	double gap;          /**< time from the first walk to the last, in seconds */
	double seconds;      /**< time in which the survivors were allocated */
	uint64_t chunks;     /**< chunks in use at the last walk */
	uint64_t bytes;      /**< their bytes */
	int64_t net_bytes;   /**< change of `bytes` since the first walk */
	size_t classes;      /**< number of classes that have survivors */
	uint64_t incomplete; /**< number of walks that were not complete */
	double allowed; /**< minimum time in seconds from the last walk to the next one, according
	                   to the budget; 0 if there is no budget */
	const char *failure; /**< why the last walk failed; NULL if it did not */
	bool running;        /**< a walk has started, and was not counted yet */
};

/** A class of chunks. */
struct watch_heap_class {
	/** Chunks that were allocated and still there one walk later: number, bytes, type, text and
	 * an example. Valid until the next walk was counted */
	const struct pm_census_class *survivors;
	double rate;       /**< these chunks per second */
	double bytes_rate; /**< these bytes per second */
	uint64_t in_use;   /**< chunks of the class at the last walk; 0 if not known */
	int64_t net_count; /**< change of the chunks in use since the class was first seen */
	bool net_known;    /**< `in_use` and `net_count` are known */
	/** The number of chunks in use grows; or it has risen, and it is too early to judge; or it
	 * is not known */
	bool growing;
	struct pm_trend trend; /**< of the number of chunks in use */
};

/** Maximum number of classes that watch_heap_classes() returns. */
enum { WATCH_HEAP_CLASSES_MAX = 128 };

/** Number of walks that are needed to find what grows. */
enum { WATCH_HEAP_WALKS_MIN = 3 };

/** How to walk. */
struct watch_heap_options {
	const char *word; /**< the TARGET, for errors; must outlive the walks */
	double budget;    /**< share of one core that watch may use; 0: no limit */
	/** Time in seconds in which enough walks are made to find what grows, also if the budget
	 * allows fewer; 0: the budget is always kept */
	double within;
	bool keep; /**< keep the chunks of each walk for watch_heap_chunks() */
	/** Walk in a thread, so that samples are taken during a walk. Otherwise, each walk ends
	 * before watch_heap_step() returns, and interrupt_flag() cancels it */
	bool background;
};

/**
 * Prepares the walks.
 *
 * @param process  the process; must outlive the walks
 * @param options  how to walk
 * @param heap     receives the walks; release with watch_heap_close()
 */
void watch_heap_open(struct pm_process *process, const struct watch_heap_options *options,
                     struct watch_heap **heap);

/**
 * Releases the walks.
 * @param heap  the walks, or NULL
 */
void watch_heap_close(struct watch_heap *heap);

/**
 * Walks over the heap after a sample, if a walk is due, or counts a walk in the background that has
 * ended. A walk that was cancelled does not count.
 *
 * @param heap    the walks
 * @param sample  the sample
 * @param error   why the first walk failed; PM_ERROR_UNSUPPORTED if the allocator is not known
 * @return        0, or -1 if the first walk failed. Failures of later walks are in
 *                watch_heap_walks.failure
 */
int watch_heap_step(struct watch_heap *heap, const struct pm_sample *sample,
                    struct pm_error *error);

/**
 * Cancels a walk in the background, and waits for its end.
 * @param heap  the walks, or NULL. Do not call watch_heap_step() again
 */
void watch_heap_cancel(struct watch_heap *heap);

/**
 * Checks whether a walk was counted after the last sample.
 * @param heap  the walks, or NULL
 * @return      true if a walk has ended, and it succeeded
 */
bool watch_heap_walked(const struct watch_heap *heap);

/**
 * Returns the chunks in use of the last walk.
 * @param heap  the walks, opened with `keep`
 * @return      the chunks; valid until the next watch_heap_step()
 */
const struct pm_histogram *watch_heap_chunks(const struct watch_heap *heap);

/**
 * Returns the walks so far.
 * @param heap  the walks
 * @return      the figures
 */
struct watch_heap_walks watch_heap_walks(const struct watch_heap *heap);

/**
 * Returns the classes that grow most: first those that are `growing`, and among these the ones with
 * the most bytes of survivors.
 *
 * @param heap   the walks
 * @param count  receives the number of classes
 * @return       the classes; valid until the next walk
 */
const struct watch_heap_class *watch_heap_classes(const struct watch_heap *heap, size_t *count);

#endif
