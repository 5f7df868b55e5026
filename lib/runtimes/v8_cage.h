/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The cages of V8 with compressed pointers, as in Chromium: all objects are in reserved ranges of
 * 4 GiB. With the sandbox of V8, the header of a chunk has only flags and a number, and the other
 * fields are elsewhere. Private.
 */
#ifndef PM_RUNTIMES_V8_CAGE_H
#define PM_RUNTIMES_V8_CAGE_H

#include "runtimes/context.h"

/** Size and alignment of a cage in bytes. */
#define PM_V8_CAGE_SIZE (UINT64_C(1) << 32)

/** Maximum number of cages of a process. */
enum { PM_V8_CAGES_MAX = 16 };

/** A cage. */
struct pm_v8_cage {
	uint64_t start; /**< first address */
	size_t chunks;  /**< number of chunks whose header has their number in the cage */
};

/** The cages of a process. */
struct pm_v8_cages {
	struct pm_v8_cage items[PM_V8_CAGES_MAX]; /**< by ascending address */
	size_t count;                             /**< number of cages */
};

/**
 * Finds the cages: ranges of 4 GiB that are reserved as a whole, in which several chunks have
 * headers with their own number. If reading ends early, the result has what was found so far.
 *
 * @param context  the context
 * @param cages    receives the cages
 */
void pm_v8_cages_find(struct pm_runtimes_context *context, struct pm_v8_cages *cages);

/** Adds the memory of the cages. */
void pm_v8_cages_add(struct pm_runtimes_context *context, const struct pm_v8_cages *cages);

/** Writes what is special about the cages, and how they were found. */
void pm_v8_cages_describe(const struct pm_v8_cages *cages, struct pm_runtime_info *info);

#endif
