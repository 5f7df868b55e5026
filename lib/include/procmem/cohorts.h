/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What grows inside a heap over a long time, without stopping the target. The heap is walked again
 * and again, at any intervals.
 *
 * A chunk survives if it is new in one walk and is still there in the next walk, with the same size
 * and content (see survivors.h). So each walk from the third one on adds survivors: chunks that
 * were allocated between the two walks before it. Survivors that are freed later stay counted. To
 * see whether a class grows, compare pm_cohort_class.in_use over time.
 *
 * Memory: 24 bytes for each chunk in use (48 bytes during a walk), and up to 64 MiB for counts.
 */
#ifndef PROCMEM_COHORTS_H
#define PROCMEM_COHORTS_H

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

/** Walks over a heap; opaque. Only one thread at a time may use it. */
struct pm_cohorts;

/** Chunks of one size and type that survived. */
struct pm_cohort_class {
	/** All survivors so far: number, bytes, type, text and an example. The keys are size and
	 * type. Valid until the next walk */
	const struct pm_census_class *survivors;
	uint64_t in_use; /**< chunks of the class that are in use in the last walk */
	uint64_t before; /**< chunks of the class that were in use in the walk before the last */
	/** False: `in_use` and `before` are not known, because a census dropped the class, or
	 * because the last walk failed */
	bool in_use_known;
};

/**
 * Prepares the walks.
 *
 * @param types    finds the types, must outlive the walks
 * @param cohorts  receives the handle; release with pm_cohorts_close()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_cohorts_open(struct pm_chunk_types *types, struct pm_cohorts **cohorts,
                              struct pm_error *error);

/**
 * Releases the walks.
 * @param cohorts  the handle; may be NULL
 */
PM_PUBLIC void pm_cohorts_close(struct pm_cohorts *cohorts);

/**
 * Adds a walk.
 *
 * @param cohorts  the handle
 * @param heap     the heap, opened just before; not used after the call
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1. After a failure, the survivors of earlier walks are kept, and the third
 *                 walk from then on is the first to add new ones
 */
PM_PUBLIC int pm_cohorts_walk(struct pm_cohorts *cohorts, struct pm_heap *heap,
                              struct pm_error *error);

/**
 * Returns the chunks in use of the last walk.
 * @param cohorts  the handle
 * @return         a census by size and type, most bytes first; valid until the next walk. NULL if
 *                 there was no walk, or if the last one failed
 */
PM_PUBLIC const struct pm_census *pm_cohorts_present(const struct pm_cohorts *cohorts);

/**
 * Returns the number of classes that have survivors.
 * @param cohorts  the handle
 * @return         number of items for pm_cohorts_get()
 */
PM_PUBLIC size_t pm_cohorts_count(const struct pm_cohorts *cohorts);

/**
 * Returns a class.
 * @param cohorts  the handle
 * @param index    position, less than pm_cohorts_count(); most bytes of survivors first
 * @param result   receives the class
 */
PM_PUBLIC void pm_cohorts_get(const struct pm_cohorts *cohorts, size_t index,
                              struct pm_cohort_class *result);

/**
 * Returns the time in which the survivors were allocated. This is the time from the first walk to
 * the last but one, without the times between walks that could not be compared.
 * @param cohorts  the handle
 * @return         seconds; 0 before the third walk
 */
PM_PUBLIC double pm_cohorts_seconds(const struct pm_cohorts *cohorts);

#ifdef __cplusplus
}
#endif

#endif
