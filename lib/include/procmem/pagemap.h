/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which pages of a process are there: runs of pages by state, from the PAGEMAP_SCAN ioctl
 * (Linux 6.7) or, where that is missing, from reading /proc/PID/pagemap
 * (Documentation/admin-guide/mm/pagemap.rst).
 *
 * The target's map lock is held only for short times: a call to the kernel looks at 8 MiB of
 * present pages at most (one call over a whole process was measured to stall its mmap calls for 26
 * ms).
 */
#ifndef PROCMEM_PAGEMAP_H
#define PROCMEM_PAGEMAP_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** State of the pages of a run. */
enum pm_page {
	PM_PAGE_PRESENT = 1, /**< in memory */
	PM_PAGE_SWAPPED = 2, /**< in swap (or under migration) */
	PM_PAGE_FILE = 4,    /**< of a file or of shared anonymous memory; without it, private
	                        anonymous (also copied file pages) */
	PM_PAGE_ZERO = 8,    /**< the kernel's shared zero page: not counted as resident; known only
	                        through PAGEMAP_SCAN */
	PM_PAGE_HUGE = 16,   /**< mapped by a huge entry; known only through PAGEMAP_SCAN */
	PM_PAGE_GUARD = 32,  /**< MADV_GUARD_INSTALL (Linux 6.13); seen since 6.14 by pagemap bit 58
	                        and PAGE_IS_GUARD. Never also swapped */
};

/** Pages of one state, one after the other. */
struct pm_page_run {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address behind the last byte */
	unsigned
		state; /**< enum pm_page bits, never 0: pages that were never touched form no run */
};

/** A reader of page states; opaque. Not to be shared between threads. */
struct pm_pagemap;

/** How page states are obtained. */
enum pm_pagemap_method {
	PM_PAGEMAP_BEST, /**< the ioctl, else reading */
	PM_PAGEMAP_SCAN, /**< the ioctl only: PM_ERROR_UNSUPPORTED where the kernel lacks it */
	PM_PAGEMAP_READ, /**< reading only */
};

/**
 * Opens the page states of a process.
 *
 * @param process  the process; must outlive the result
 * @param method   how
 * @param pagemap  where to store it; release with pm_pagemap_close()
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_NOT_FOUND (no pagemap in a saved tree or
 * this kernel), PM_ERROR_UNSUPPORTED
 * @return         0 or -1
 */
PM_PUBLIC int pm_pagemap_open(struct pm_process *process, enum pm_pagemap_method method,
                              struct pm_pagemap **pagemap, struct pm_error *error);

/**
 * Closes it.
 * @param pagemap a handle or NULL
 */
PM_PUBLIC void pm_pagemap_close(struct pm_pagemap *pagemap);

/**
 * Which method it uses.
 * @param pagemap the handle
 * @return PM_PAGEMAP_SCAN or PM_PAGEMAP_READ
 */
PM_PUBLIC enum pm_pagemap_method pm_pagemap_method(const struct pm_pagemap *pagemap);

/**
 * Called for each run, by ascending address.
 *
 * @param context  as given to pm_pagemap_walk()
 * @param run      the run, valid during the call
 * @return         0 to go on, anything else ends the walk
 */
typedef int pm_page_visitor(void *context, const struct pm_page_run *run);

/**
 * Visits the runs of present, swapped and guard pages in a range. Neighbouring pages of equal state
 * may come as several runs.
 *
 * @param pagemap  the handle
 * @param start    first address; rounded down to its page
 * @param end      address behind the last byte; rounded up to its page
 * @param visit    called for each run
 * @param context  handed to it
 * @param error    PM_ERROR_GONE, PM_ERROR_IO
 * @return         0 at the end, -1 on an error, else what visit returned
 */
PM_PUBLIC int pm_pagemap_walk(struct pm_pagemap *pagemap, uint64_t start, uint64_t end,
                              pm_page_visitor *visit, void *context, struct pm_error *error);

/**
 * Fills RSS and SWAP of all regions: the cheap way to sizes, four to eight times cheaper than
 * smaps. As in smaps, zero pages, guard pages and pages of hugetlbfs do not count.
 *
 * @param pagemap  the handle
 * @param regions  list of the same process; the sizes are added to `known`
 * @param exact    where to store false if some region may differ from smaps (hugetlbfs cannot be
 * told from transparent huge pages by page states; zero pages cannot be told by reading pagemap)
 * @param error    PM_ERROR_GONE, PM_ERROR_IO
 * @return         0 or -1
 */
PM_PUBLIC int pm_pagemap_measure(struct pm_pagemap *pagemap, struct pm_regions *regions,
                                 bool *exact, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
