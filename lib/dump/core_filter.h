/* SPDX-License-Identifier: MIT */
/** @file Reads and applies the coredump_filter of a process (core(5)). Private. */
#ifndef PM_DUMP_CORE_FILTER_H
#define PM_DUMP_CORE_FILTER_H

#include <procmem/process.h>
#include <procmem/region.h>

/** Bits of /proc/PID/coredump_filter, core(5). */
enum pm_core_filter {
	PM_CORE_ANON_PRIVATE = 1,     /**< private anonymous memory */
	PM_CORE_ANON_SHARED = 2,      /**< shared anonymous memory */
	PM_CORE_MAPPED_PRIVATE = 4,   /**< private mappings of files */
	PM_CORE_MAPPED_SHARED = 8,    /**< shared mappings of files */
	PM_CORE_ELF_HEADERS = 16,     /**< first pages of ELF files */
	PM_CORE_HUGETLB_PRIVATE = 32, /**< private huge pages of hugetlbfs */
	PM_CORE_HUGETLB_SHARED = 64,  /**< shared huge pages of hugetlbfs */
};

/**
 * Reads the filter of a process.
 *
 * @param process  the process
 * @param filter   receives enum pm_core_filter bits
 * @param error    PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_FORMAT
 * @return         0 or -1
 */
int pm_core_filter_read(struct pm_process *process, unsigned *filter, struct pm_error *error);

/**
 * Returns the number of bytes, from the start of a region, that the kernel would dump. The kernel
 * has a record of whether a private mapping was written to. This function derives this from
 * Anonymous in smaps or, if that value is not known, from the write permission.
 *
 * @param filter  the filter
 * @param region  the region
 * @param page    page size in bytes
 * @return        the size of the region, `page` if only the first page is dumped, or 0
 */
uint64_t pm_core_filter_size(unsigned filter, const struct pm_region *region, uint64_t page);

#endif
