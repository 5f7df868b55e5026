/* SPDX-License-Identifier: MIT */
/** @file What the kernel would leave out of a core file. Private. */
#ifndef PM_DUMP_CORE_FILTER_H
#define PM_DUMP_CORE_FILTER_H

#include <procmem/process.h>
#include <procmem/region.h>

/** Bits of /proc/PID/coredump_filter, core(5). */
enum pm_core_filter {
	PM_CORE_ANON_PRIVATE = 1,
	PM_CORE_ANON_SHARED = 2,
	PM_CORE_MAPPED_PRIVATE = 4,
	PM_CORE_MAPPED_SHARED = 8,
	PM_CORE_ELF_HEADERS = 16,
	PM_CORE_HUGETLB_PRIVATE = 32,
	PM_CORE_HUGETLB_SHARED = 64,
};

/**
 * Reads the filter of a process.
 * @param filter enum pm_core_filter bits
 * @param error PM_ERROR_GONE, PM_ERROR_ACCESS
 * @return 0 or -1
 */
int pm_core_filter_read(struct pm_process *process, unsigned *filter, struct pm_error *error);

/**
 * How many bytes from the start of a region the kernel would dump. It knows exactly whether a
 * private mapping was written to; from outside that follows from Anonymous in smaps, and where that
 * is not known, from the write permission.
 *
 * @param filter  the filter
 * @param region  the region
 * @param page    page size
 * @return        0, the page size (an ELF header) or the whole size
 */
uint64_t pm_core_filter_size(unsigned filter, const struct pm_region *region, uint64_t page);

#endif
