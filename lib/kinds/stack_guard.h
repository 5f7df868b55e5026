/* SPDX-License-Identifier: MIT */
/** @file Guards that catch overruns of a thread's stack. Private. */
#ifndef PM_KINDS_STACK_GUARD_H
#define PM_KINDS_STACK_GUARD_H

#include "kinds/rule.h"

/**
 * Longer regions are not guards: these are a page to 64 KiB, in the JVM up to a few hundred KiB.
 */
static const uint64_t PM_STACK_GUARD_MAX = UINT64_C(1) << 20;

/**
 * Returns the inaccessible region directly below another one, if it may be its guard; otherwise
 * NULL.
 */
struct pm_region *pm_stack_guard_below(const struct pm_kinds_context *context,
                                       const struct pm_region *region);

/**
 * Counts runs of guard pages (MADV_GUARD_INSTALL, Linux 6.13). glibc 2.42 uses them instead of
 * mprotect(2), so that the kernel can merge stacks into one region.
 *
 * @param context  the context
 * @param region   the region
 * @param runs     receives the number of runs; 0 if page states are not known
 * @param bytes    receives the bytes of all runs
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_stack_guard_pages(struct pm_kinds_context *context, const struct pm_region *region,
                         unsigned *runs, uint64_t *bytes, struct pm_error *error);

#endif
