/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Three walks over malloc's heap: which chunks are allocated and stay. In a large heap, only the
 * first two visit all chunks, and only the contents of some chunks are read.
 */
#ifndef CMD_WHY_WALKS_H
#define CMD_WHY_WALKS_H

#include <procmem/arena_threads.h>
#include <procmem/evidence.h>
#include <procmem/survivors.h>

#include "target/chunk_contents.h"
#include "target/malloc_heap.h"

/** What an arena had at each walk. */
struct why_arena {
	struct pm_heap_arena last;           /**< figures of the last walk */
	uint64_t in_use[PM_SURVIVORS_WALKS]; /**< chunks in use at each walk */
	uint64_t free[PM_SURVIVORS_WALKS];   /**< free chunks and the top at each walk */
	unsigned walks;                      /**< number of walks that found it */
	struct pm_arena_thread thread;       /**< a thread that uses it; its `tid` is 0 if none */
	uint32_t threads;                    /**< number of threads that use it */
};

/** The walks. Zeroed before the first use. */
struct why_walks {
	struct pm_process *process; /**< the target; must outlive the walks */
	const volatile sig_atomic_t *cancel;
	struct pm_regions regions; /**< of the first walk */
	struct malloc_heap first;  /**< the first walk, whose memory finds the types */
	/** For each walk, ranges that were not searched; owned */
	struct malloc_heap_skip skip[PM_SURVIVORS_WALKS];
	struct chunk_contents contents;
	struct pm_survivors *survivors;   /**< NULL before the first walk */
	struct pm_census *census;         /**< the chunks of the last walk; NULL if not known */
	unsigned count;                   /**< number of walks */
	unsigned whole;                   /**< number of these that visited all chunks */
	bool sparse;                      /**< the heap is large */
	uint64_t chunks;                  /**< chunks in use at the last of these */
	uint64_t read;                    /**< of these, chunks whose contents were read */
	struct pm_regions second_regions; /**< of the second walk, if the heap is large */
	struct malloc_heap second;        /**< the second walk, if the heap is large */
	double times[PM_SURVIVORS_WALKS]; /**< middle of each walk, in seconds */
	bool complete;                    /**< all walks found all chunks */
	struct why_arena *arenas;         /**< owned */
	size_t arena_count;               /**< number of elements of `arenas` */
	char allocator[64];               /**< name and version; "" if not known */
	struct pm_error failure;          /**< why there are no walks; its kind is 0 if there are */
};

/**
 * Starts the walks; none is made.
 *
 * @param walks    zeroed; release with why_walks_deinit(), and do not move it
 * @param process  the target
 * @param cancel   as pm_heap_source.cancel
 */
void why_walks_begin(struct why_walks *walks, struct pm_process *process,
                     const volatile sig_atomic_t *cancel);

/**
 * Makes the next walk, unless an earlier one failed or all were made. A heap that cannot be read is
 * not an error: why_walks.failure says why.
 *
 * @param walks     the walks
 * @param runtimes  the runtimes of the process, whose objects are not searched for chunks; NULL if
 * they are not known
 * @param error     PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int why_walks_make(struct why_walks *walks, const struct pm_runtimes *runtimes,
                   struct pm_error *error);

/** Returns the free bytes that an arena had at all walks: 0 if a walk did not find it. */
uint64_t why_walks_free_always(const struct why_walks *walks, const struct why_arena *arena);

/**
 * Makes the only walk: over the heap of a core file. A heap that cannot be read is not an error:
 * why_walks.failure says why.
 *
 * @param walks   zeroed; release with why_walks_deinit(), and do not move it
 * @param loaded  the core file; must outlive the walks
 * @param cancel  as pm_heap_source.cancel
 * @param error   PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int why_walks_read(struct why_walks *walks, const struct loaded *loaded,
                   const volatile sig_atomic_t *cancel, struct pm_error *error);

/** Returns the time in which the numbers of chunks were compared, in seconds; 0 if not known. */
double why_walks_seconds(const struct why_walks *walks);

/** Returns whether what grew between walks is known. */
bool why_walks_know_growth(const struct why_walks *walks);

/**
 * Releases the walks.
 * @param walks  as filled
 */
void why_walks_deinit(struct why_walks *walks);

#endif
