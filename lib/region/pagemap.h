/* SPDX-License-Identifier: MIT */
/** @file An open pagemap, and variants of the functions of <procmem/pagemap.h>. Private. */
#ifndef PM_REGION_PAGEMAP_H
#define PM_REGION_PAGEMAP_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/pagemap.h>

/**
 * First address of the kernel half of the address space, for which pagemap has no entries. (maps
 * nevertheless lists the vsyscall page there.)
 */
#define PM_USER_END (UINT64_C(1) << 63)

/** Maximum number of runs that one system call returns. */
enum { PM_PAGEMAP_RUNS = 1024 };

/** An open pagemap of a process. */
struct pm_pagemap {
	struct pm_process *process; /**< the process; owned by the caller */
	int fd;                     /**< descriptor of /proc/PID/pagemap */
	/** Method that is used: PM_PAGEMAP_SCAN or PM_PAGEMAP_READ */
	enum pm_pagemap_method method;
	/** Whether PAGEMAP_SCAN accepts PAGE_IS_GUARD (Linux 6.15) */
	bool knows_guards;
	uint64_t page_size;                       /**< size of a page in bytes */
	struct pm_page_run runs[PM_PAGEMAP_RUNS]; /**< result of the last system call */
	void *scratch;                            /**< buffer that system calls fill; owned */
	/**
	 * Duration of the longest system call so far, in nanoseconds. The map lock of the target
	 * was never held longer than this without a break.
	 */
	uint64_t longest_ns;
};

/** Result of one system call. */
struct pm_page_batch {
	size_t count;  /**< number of runs in pm_pagemap.runs */
	uint64_t next; /**< address up to which page states were fetched; start of the next call */
};

/** Size in bytes that each method needs for `scratch`. */
extern const size_t pm_pagemap_scan_scratch, pm_pagemap_read_scratch;

/** Callbacks that receive the runs which pm_pagemap_measure_chosen() visits. */
struct pm_page_observer {
	/**
	 * Called before a range of addresses is walked.
	 *
	 * @param context  the member `context`
	 * @param start    first address
	 * @param end      address after the last byte
	 * @param error    filled on failure
	 * @return         0 or -1
	 */
	int (*span)(void *context, uint64_t start, uint64_t end, struct pm_error *error);
	/**
	 * Called for each run in the range of the last call of `span`.
	 *
	 * @param context  the member `context`
	 * @param run      the run
	 * @param error    filled on failure
	 * @return         0 or -1
	 */
	int (*run)(void *context, const struct pm_page_run *run, struct pm_error *error);
	void *context; /**< passed to both callbacks */
};

/**
 * Visits page states, as pm_pagemap_walk() does, with the choice to omit PM_PAGE_FILE.
 * @param files  whether PM_PAGE_FILE is needed. If so, the kernel reads not only the page table
 *               entry but also the `struct page` of each page (pagemap_page_category() in
 *               fs/proc/task_mmu.c). This takes 11 ms per GiB of present pages, otherwise 3.4 ms
 */
int pm_pagemap_walk_states(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                           pm_page_visitor *visit, void *context, struct pm_error *error);

/**
 * Measures regions, as pm_pagemap_measure() does, but only the chosen ones.
 * @param chosen    for each region, whether it is measured; NULL if all regions are measured
 * @param observer  callbacks that receive the runs; may be NULL
 */
int pm_pagemap_measure_chosen(struct pm_pagemap *pagemap, struct pm_regions *regions,
                              const bool *chosen, const struct pm_page_observer *observer,
                              bool *exact, struct pm_error *error);

#endif
