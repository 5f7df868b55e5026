/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Rules for regions: which regions may be read, which system call may read them, and what their
 * untouched pages contain. Private.
 */
#ifndef PM_READER_REGION_RULES_H
#define PM_READER_REGION_RULES_H

#include <procmem/read_plan.h>

/** A type of segment, and the reason for it. */
struct pm_verdict {
	enum pm_segment_type type; /**< type of the segment */
	const char *why;           /**< reason for the type, a constant text */
};

/**
 * Returns the reason why a region must not be read.
 * @param region  the region
 * @return        a constant text; NULL if the region may be read
 */
const char *pm_region_forbidden(const struct pm_region *region);

/**
 * Tests whether a region contains only data of the kernel, such as [vvar].
 * @param region  the region
 * @return        true if it does
 */
bool pm_region_is_of_kernel(const struct pm_region *region);

/**
 * Tests whether a region maps shared memory, and not a file on a disk.
 * @param region  the region
 * @return        true if it does
 */
bool pm_region_is_shared_memory(const struct pm_region *region);

/** The reason why pages of memfd_secret(2) cannot be read. */
extern const char pm_region_secret[];

/**
 * Tests whether a region is memory of memfd_secret(2). The kernel refuses to read it for another
 * process, also for root and for a debugger.
 * @param region  the region
 * @return        true if it is
 */
bool pm_region_is_secret(const struct pm_region *region);

/**
 * Returns the segment type of those pages of a region that the process never touched.
 * @param region  a region that may be read
 * @return        the type and the reason
 */
struct pm_verdict pm_region_untouched(const struct pm_region *region);

/**
 * Tests whether process_vm_readv(2) may be used on a region. The region needs read permission. It
 * must not be registered with userfaultfd: on a missing page, process_vm_readv() waits for the
 * handler, and only SIGKILL ends this wait (seen on Linux 6.18), while /proc/PID/mem fails with EIO
 * at once.
 * @param region  the region
 * @return        true if process_vm_readv(2) may be used
 */
bool pm_region_allows_readv(const struct pm_region *region);

#endif
