/* SPDX-License-Identifier: MIT */
/** @file The pages that malloc_trim(3) would return to the kernel. Private. */
#ifndef PM_HEAP_GLIBC_TRIM_H
#define PM_HEAP_GLIBC_TRIM_H

#include "heap/glibc_context.h"

/** Free memory of an arena: a free chunk, top, or several such chunks that malloc would merge. */
struct pm_glibc_free_run {
	struct pm_range range; /**< from the header of the first chunk to the end of the last one */
	uint32_t arena;        /**< index of the arena; 0 is the main arena */
	bool is_top;           /**< the last chunk is top */
};

/**
 * Returns the whole pages of free memory that malloc_trim(3) would return.
 * @return the pages; a range with start == end if there are none
 */
struct pm_range pm_glibc_trim_pages(const struct pm_glibc *glibc,
                                    const struct pm_glibc_free_run *run);

/**
 * Sets again how much malloc_trim(3) would return, for arenas with chunks in fastbins:
 * malloc_trim(3) first merges these chunks with the free chunks beside them. It does not merge
 * chunks in tcaches. So call this after the chunks of fastbins were marked as cached, but before
 * those of tcaches are.
 *
 * @param glibc  the heap; `trimmable` of its arenas is set again
 * @param error  PM_ERROR_RESOURCES, and errors of the page states
 * @return       0 or -1
 */
int pm_glibc_trim_merged(struct pm_glibc *glibc, struct pm_error *error);

#endif
