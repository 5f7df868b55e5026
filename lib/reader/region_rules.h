/* SPDX-License-Identifier: MIT */
/** @file What may be read of a region, and what its untouched pages mean. Private. */
#ifndef PM_READER_REGION_RULES_H
#define PM_READER_REGION_RULES_H

#include <procmem/read_plan.h>

/** A type of segment, and why. */
struct pm_verdict {
	enum pm_segment_type type; /**< the type */
	const char *why;           /**< a constant text */
};

/**
 * Whether no byte of a region may be read.
 * @param region the region
 * @return why, a constant text; NULL where it may be read
 */
const char *pm_region_forbidden(const struct pm_region *region);

/**
 * What the pages of a region are that its process never touched.
 * @param region one that may be read
 * @return type and reason
 */
struct pm_verdict pm_region_untouched(const struct pm_region *region);

/**
 * Whether process_vm_readv(2) may be used on a region. It needs read permission, and must be kept
 * away from userfaultfd: on a missing page it waits for the handler, out of reach of any signal but
 * SIGKILL (seen on Linux 6.18), where /proc/PID/mem fails with EIO at once.
 *
 * @param region  the region
 * @return        true or false
 */
bool pm_region_allows_readv(const struct pm_region *region);

#endif
