/* SPDX-License-Identifier: MIT */
/** @file Finds the guards of stacks: an inaccessible region below, or guard pages. Private. */
#ifndef PM_KINDS_STACK_GUARD_H
#define PM_KINDS_STACK_GUARD_H

#include "kinds/rule.h"

/**
 * Maximum size of a guard, in bytes. Most guards have between one page and 64 KiB, guards of the
 * JVM up to a few hundred KiB.
 */
static const uint64_t PM_STACK_GUARD_MAX = UINT64_C(1) << 20;

/**
 * Returns the inaccessible region directly below `region`. Returns NULL if there is none, or if it
 * is larger than PM_STACK_GUARD_MAX.
 */
struct pm_region *pm_stack_guard_below(const struct pm_kinds_context *context,
                                       const struct pm_region *region);

/**
 * Counts the runs of contiguous guard pages in a region (MADV_GUARD_INSTALL, Linux 6.13). glibc
 * 2.42 uses guard pages instead of mprotect(2). The kernel can then merge several stacks into one
 * region.
 *
 * @param context  the context
 * @param region   the region
 * @param runs     receives the number of runs; 0 if page states are not known
 * @param bytes    receives the total size of all runs in bytes
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_stack_guard_pages(struct pm_kinds_context *context, const struct pm_region *region,
                         unsigned *runs, uint64_t *bytes, struct pm_error *error);

#endif
