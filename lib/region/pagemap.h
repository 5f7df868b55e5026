/* SPDX-License-Identifier: MIT */
/** @file An open pagemap, and variants of the functions of <procmem/pagemap.h>. Private. */
#ifndef PM_REGION_PAGEMAP_H
#define PM_REGION_PAGEMAP_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/pagemap.h>

/**
 * Addresses from here on belong to the kernel: pagemap knows nothing of them (the vsyscall page is
 * listed in maps all the same).
 */
#define PM_USER_END (UINT64_C(1) << 63)

/** Runs fetched by one call into the kernel at the most. */
enum { PM_PAGEMAP_RUNS = 1024 };

/** An open pagemap. */
struct pm_pagemap {
	struct pm_process *process;    /**< the caller's */
	int fd;                        /**< /proc/PID/pagemap */
	enum pm_pagemap_method method; /**< SCAN or READ */
	bool knows_guards;             /**< PAGEMAP_SCAN accepts PAGE_IS_GUARD (Linux 6.15) */
	uint64_t page_size;            /**< bytes of a page */
	struct pm_page_run runs[PM_PAGEMAP_RUNS]; /**< what the last call found */
	void *scratch;                            /**< raw answer of the kernel; owned */
	uint64_t longest_ns; /**< longest call so far: so long the target's map lock was held at the
	                        most */
};

/** What one call into the kernel found. */
struct pm_page_batch {
	size_t count;  /**< how many of pm_pagemap.runs are filled */
	uint64_t next; /**< where to go on: everything before it was looked at */
};

/** Bytes of scratch memory that each method needs. */
extern const size_t pm_pagemap_scan_scratch, pm_pagemap_read_scratch;

/** Sees what pm_pagemap_measure_chosen() walks over. */
struct pm_page_observer {
	/**
	 * All runs between two addresses come next.
	 * @return 0 or -1 with the error filled
	 */
	int (*span)(void *context, uint64_t start, uint64_t end, struct pm_error *error);
	/**
	 * One of them.
	 * @return 0 or -1 with the error filled
	 */
	int (*run)(void *context, const struct pm_page_run *run, struct pm_error *error);
	void *context; /**< handed to them */
};

/**
 * As pm_pagemap_walk().
 *
 * @param files  whether PM_PAGE_FILE must be told. For that the kernel has to look at the structure
 * of each page, where its table would do (pagemap_page_category() in fs/proc/task_mmu.c): 11 ms for
 * a filled GiB, and 3.4 ms without
 */
int pm_pagemap_walk_states(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                           pm_page_visitor *visit, void *context, struct pm_error *error);

/**
 * As pm_pagemap_measure(), of some regions.
 *
 * @param chosen    for each region whether it is measured; NULL: all are
 * @param observer  told of each run, NULL for nobody
 */
int pm_pagemap_measure_chosen(struct pm_pagemap *pagemap, struct pm_regions *regions,
                              const bool *chosen, const struct pm_page_observer *observer,
                              bool *exact, struct pm_error *error);

#endif
