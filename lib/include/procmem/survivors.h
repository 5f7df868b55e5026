/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What grows inside a heap, without stopping the target: chunks that are allocated and not freed.
 *
 * The heap is walked three times. A chunk survives if it is in use in the second and in the third
 * walk, with the same size and content, and was not there in the first one. Programs that allocate
 * and free all the time have nearly no survivors, however much their totals change. So the classes
 * with the most bytes in survivors are those that grow.
 *
 * Contents are compared by a hash of the first 64 bytes. Pointers into the heap are ignored,
 * because the pointers of a list change when other elements are added. Changes of other bytes, such
 * as a counter, cause errors: a new chunk that changes between the second and the third walk is not
 * counted, and an old chunk that changes only between the first and the second walk is counted.
 *
 * Memory: 24 bytes for each chunk in use, and up to 48 MiB for counts.
 *
 * In a large heap, to read the contents of all chunks takes long. With pm_survivors_set_sparse(),
 * the first two walks are compared by address and size, without contents, and only chunks that
 * appeared in between are read, at most 65,536 of them. This finds all growth, but a new chunk at
 * the place of a freed one of the same size is not seen as new.
 */
#ifndef PROCMEM_SURVIVORS_H
#define PROCMEM_SURVIVORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/census.h>
#include <procmem/chunk_type.h>
#include <procmem/error.h>
#include <procmem/heap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of walks. */
#define PM_SURVIVORS_WALKS 3

/** Three walks over a heap; opaque. Only one thread at a time may use it. */
struct pm_survivors;

/** Chunks of one size and type that survived. */
struct pm_survivor_class {
	/** Number of survivors, their bytes, type, text and an example. The keys are size and type
	 */
	const struct pm_census_class *chunks;
	/** Survivors per second: those of the class divided by the time from the first walk to the
	 * second */
	double rate;
	/** Chunks of the class in the third walk minus those in the first. In a sparse comparison:
	 * from the first walk to the second, for all chunks of the size, multiplied by the share of
	 * the class among the survivors of this size */
	int64_t net_count;
	int64_t net_bytes; /**< the same in bytes */
	/** Largest decrease of the number of chunks from one walk to the next; 0 if it never
	 * decreased, if it is not known, or in a sparse comparison */
	int64_t fall_count;
	/** Whether `net_count` and `net_bytes` are known. Both are 0 if a census dropped the class,
	 * or, in a sparse comparison, if the number of chunks can have varied by chance */
	bool net_known;
};

/**
 * Prepares the walks.
 *
 * @param types      finds the types, must outlive the walks
 * @param filter     which chunks are counted; NULL: all in use. Must outlive the walks
 * @param survivors  receives the handle; release with pm_survivors_close()
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_survivors_open(struct pm_chunk_types *types, struct pm_chunk_filter *filter,
                                struct pm_survivors **survivors, struct pm_error *error);

/**
 * Compares contents of new chunks only. There must be no filter.
 *
 * The heap of the first walk must stay open until the second walk was made. The third walk gets the
 * heap of the second one again, which was not closed: its memory is read as it is then.
 * pm_survivor_class.chunks counts the chunks that were read, `rate` all of them.
 *
 * @param survivors  the handle, before the first walk
 */
PM_PUBLIC void pm_survivors_set_sparse(struct pm_survivors *survivors);

/**
 * Releases the walks.
 * @param survivors  the handle; may be NULL
 */
PM_PUBLIC void pm_survivors_close(struct pm_survivors *survivors);

/**
 * Adds a walk. It is called PM_SURVIVORS_WALKS times, each time with a heap that was opened just
 * before. The caller waits between the calls.
 *
 * @param survivors  the handle
 * @param heap       the heap; not used after the call, except with pm_survivors_set_sparse()
 * @param error      PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED, PM_ERROR_USAGE (a fourth
 *                   walk)
 * @return           0 or -1; after a failure, the handle can only be closed
 */
PM_PUBLIC int pm_survivors_walk(struct pm_survivors *survivors, struct pm_heap *heap,
                                struct pm_error *error);

/**
 * Returns the number of classes that have survivors, after the third walk.
 * @param survivors  the handle
 * @return           number of items for pm_survivors_get(); 0 before the third walk
 */
PM_PUBLIC size_t pm_survivors_count(const struct pm_survivors *survivors);

/**
 * Tests whether it is certain that not too many survivors were counted. It is not certain if the
 * first walk has missed chunks at unknown addresses, such as those of an arena that was not found.
 * Too few survivors can be counted in any case: chunks at addresses that the first walk skipped are
 * never counted.
 * @param survivors  the walks
 * @return           false if rates can be too high; true before the first walk
 */
PM_PUBLIC bool pm_survivors_are_certain(const struct pm_survivors *survivors);

/**
 * Returns a class.
 * @param survivors  the handle
 * @param index      position, less than pm_survivors_count(); most bytes first
 * @param result     receives the class; its pointers are valid until pm_survivors_close()
 */
PM_PUBLIC void pm_survivors_get(const struct pm_survivors *survivors, size_t index,
                                struct pm_survivor_class *result);

/**
 * Returns the time in which the survivors were allocated: from the first walk to the second.
 * @param survivors  the handle
 * @return           seconds; 0 before the second walk
 */
PM_PUBLIC double pm_survivors_seconds(const struct pm_survivors *survivors);

/**
 * Returns the sums over all chunks in use of a walk.
 * @param survivors  the handle
 * @param walk       number of the walk, from 0
 * @return           the sums; zeros if the walk was not made yet
 */
PM_PUBLIC struct pm_census_total pm_survivors_total(const struct pm_survivors *survivors,
                                                    unsigned walk);

#ifdef __cplusplus
}
#endif

#endif
