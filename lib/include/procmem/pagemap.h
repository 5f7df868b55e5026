/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The states of the pages of a process, as runs of pages with the same state. The states come from
 * the PAGEMAP_SCAN ioctl (Linux 6.7) or, if the kernel does not support this ioctl, from
 * /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst).
 *
 * During a system call that fetches page states, the kernel holds the map lock of the target. To
 * keep this time short, a call covers at most 8 MiB of present pages. (In a measurement with a
 * single call for a whole process, mmap calls of this process were delayed by up to 26 ms.)
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

/** State of a page. */
enum pm_page {
	PM_PAGE_PRESENT = 1, /**< in memory */
	PM_PAGE_SWAPPED = 2, /**< in swap (or under migration) */
	/**
	 * Page of a file or of shared anonymous memory. If this bit is not set, the page is
	 * private: anonymous, or a copy of a page of a file.
	 */
	PM_PAGE_FILE = 4,
	/** Shared zero page of the kernel, not counted as resident. Set only by PAGEMAP_SCAN. */
	PM_PAGE_ZERO = 8,
	PM_PAGE_HUGE = 16, /**< mapped by a huge page table entry; set only by PAGEMAP_SCAN */
	/**
	 * Guard page (MADV_GUARD_INSTALL, Linux 6.13), never set together with PM_PAGE_SWAPPED.
	 * pagemap shows guard pages since Linux 6.14 (bit 58). PAGEMAP_SCAN shows them since Linux
	 * 6.15 (PAGE_IS_GUARD).
	 */
	PM_PAGE_GUARD = 32,
	/**
	 * The page should be in the core file, but the file is truncated before its bytes. Only for
	 * pm_core_source(), and without other bits.
	 */
	PM_PAGE_CUT = 64,
};

/** Consecutive pages with the same state. */
struct pm_page_run {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address after the last byte */
	unsigned state; /**< enum pm_page bits; never 0, since no run contains untouched pages */
};

/** A reader of page states; opaque. Only one thread at a time may use it. */
struct pm_pagemap;

/** How page states are obtained. */
enum pm_pagemap_method {
	PM_PAGEMAP_BEST, /**< with PAGEMAP_SCAN if the kernel supports it, otherwise from pagemap */
	PM_PAGEMAP_SCAN, /**< with PAGEMAP_SCAN; PM_ERROR_UNSUPPORTED if the kernel does not support
	                    it */
	PM_PAGEMAP_READ, /**< from /proc/PID/pagemap */
};

/**
 * Opens the page states of a process.
 *
 * @param process  the process; must not be closed before the handle
 * @param method   how to obtain the page states
 * @param pagemap  receives the handle; release with pm_pagemap_close()
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_NOT_FOUND (there is no file `pagemap`),
 *                 PM_ERROR_UNSUPPORTED (a kernel without PAGEMAP_SCAN, or a saved copy of
 *                 /proc)
 * @return         0 or -1
 */
PM_PUBLIC int pm_pagemap_open(struct pm_process *process, enum pm_pagemap_method method,
                              struct pm_pagemap **pagemap, struct pm_error *error);

/**
 * Closes a handle.
 * @param pagemap  a handle or NULL
 */
PM_PUBLIC void pm_pagemap_close(struct pm_pagemap *pagemap);

/**
 * Returns the method that a handle uses.
 * @param pagemap  the handle
 * @return         PM_PAGEMAP_SCAN or PM_PAGEMAP_READ
 */
PM_PUBLIC enum pm_pagemap_method pm_pagemap_method(const struct pm_pagemap *pagemap);

/**
 * Called for each run, by ascending address.
 *
 * @param context  the `context` that was passed to pm_pagemap_walk()
 * @param run      the run, valid during the call
 * @return         0 to continue; any other value ends the walk
 */
typedef int pm_page_visitor(void *context, const struct pm_page_run *run);

/**
 * Visits the runs of present, swapped and guard pages in a range. Adjacent runs may have the same
 * state.
 *
 * @param pagemap  the handle
 * @param start    first address; rounded down to a page boundary
 * @param end      address after the last byte; rounded up to a page boundary
 * @param visit    called for each run
 * @param context  passed to `visit`
 * @param error    PM_ERROR_GONE, PM_ERROR_IO
 * @return         0 at the end of the range; -1 on an error; otherwise the result of `visit` that
 *                 ended the walk
 */
PM_PUBLIC int pm_pagemap_walk(struct pm_pagemap *pagemap, uint64_t start, uint64_t end,
                              pm_page_visitor *visit, void *context, struct pm_error *error);

/**
 * Measures RSS and SWAP of all regions. This takes between an eighth and a quarter of the time that
 * reading smaps takes. As in smaps, zero pages, guard pages and pages of hugetlbfs are not counted.
 *
 * @param pagemap  the handle
 * @param regions  regions of the same process; receives the sizes, and their bits in `known`
 * @param exact    receives true if the sizes are those that smaps shows, false if the sizes of some
 *                 regions may differ. They may differ because page states do not distinguish
 *                 hugetlbfs from transparent huge pages and do not show swapped pages of shared
 *                 memory, and because PM_PAGEMAP_READ does not show zero pages
 * @param error    PM_ERROR_GONE, PM_ERROR_IO
 * @return         0 or -1
 */
PM_PUBLIC int pm_pagemap_measure(struct pm_pagemap *pagemap, struct pm_regions *regions,
                                 bool *exact, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
