/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The chunks in use that a large heap has got between two walks, and which of them stay. Only the
 * contents of these chunks are read, and only of some of them if they are many. Private.
 */
#ifndef PM_HEAP_NEWCOMERS_H
#define PM_HEAP_NEWCOMERS_H

#include <stdbool.h>

#include <procmem/census.h>
#include <procmem/chunk_type.h>

#include "heap/size_counts.h"

/** Chunks that appeared. Zero-initialise it; release with pm_newcomers_deinit(). */
struct pm_newcomers {
	struct pm_chunk *chunks;    /**< ascending; a random sample if there are too many */
	uint64_t *hashes;           /**< of their contents */
	size_t count;               /**< number of elements of both arrays */
	uint64_t found;             /**< number of chunks that appeared */
	struct pm_range main;       /**< addresses of the main arena, now and when it has grown */
	struct pm_size_counts nets; /**< chunks that appeared minus those that disappeared */
	struct pm_size_counts read; /**< chunks of the sample, by size */
	/** Of these, chunks in whose place there is still a chunk in use: the same, or another one
	 */
	struct pm_size_counts occupied;
	struct pm_size_counts stay; /**< of these, those that stay */
	/** Of those that stay, chunks that are not all zeros: another chunk of zeros can have taken
	 * the place of one */
	struct pm_size_counts nonzero;
	struct pm_size_counts all; /**< all chunks in use, by size; empty if no chunk stays */
	uint64_t random;           /**< state of the random numbers */
};

/**
 * Finds the chunks that appeared, and reads their contents.
 *
 * @param newcomers  zeroed, except `main`; filled
 * @param before     the heap before
 * @param after      the heap now
 * @param error      PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED, PM_ERROR_IO
 * @return           0 or -1
 */
int pm_newcomers_find(struct pm_newcomers *newcomers, struct pm_heap *before, struct pm_heap *after,
                      struct pm_error *error);

/**
 * Reads the chunks again, and counts those that are still in use with the same content.
 *
 * @param newcomers  as found
 * @param heap       the heap `after`, whose memory is read as it is now
 * @param types      finds the types
 * @param census     receives the chunks
 * @param error      as for pm_newcomers_find()
 * @return           0 or -1
 */
int pm_newcomers_count(struct pm_newcomers *newcomers, struct pm_heap *heap,
                       struct pm_chunk_types *types, struct pm_census *census,
                       struct pm_error *error);

/**
 * Tests whether the number of chunks of a size has grown. If many of the new chunks disappear
 * again, the numbers vary by chance: independent chunks that come and go, N at a time, by about the
 * square root of 2 N. Such a number must have grown by four times this. If even the places of many
 * new chunks are free again, the chunks were those of a peak: what was gained is lost.
 */
bool pm_newcomers_have_grown(const struct pm_newcomers *newcomers, uint64_t size);

/** Returns the number of chunks that appeared for each one of the sample; at least 1. */
double pm_newcomers_scale(const struct pm_newcomers *newcomers);

/** Releases chunks. */
void pm_newcomers_deinit(struct pm_newcomers *newcomers);

#endif
