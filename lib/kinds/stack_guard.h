/* SPDX-License-Identifier: MIT */
/** @file What catches overruns of a thread's stack. Private. */
#ifndef PM_KINDS_STACK_GUARD_H
#define PM_KINDS_STACK_GUARD_H

#include "kinds/rule.h"

/** Longer ones are no guards: they are a page to 64 KiB, the JVM's up to some hundred KiB. */
static const uint64_t PM_STACK_GUARD_MAX = UINT64_C(1) << 20;

/** The region without access right below another, if it may be its guard; else NULL. */
struct pm_region *pm_stack_guard_below(const struct pm_kinds_context *context,
                                       const struct pm_region *region);

/**
 * Counts runs of guard pages (MADV_GUARD_INSTALL, Linux 6.13): glibc 2.42 sets them instead of
 * taking access away, so that the kernel can merge stacks into one region.
 *
 * @param context  its evidence
 * @param region   the region
 * @param runs     where to store how many there are; 0 where page states are not known
 * @param bytes    where to store how long they are together
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_stack_guard_pages(struct pm_kinds_context *context, const struct pm_region *region,
                         unsigned *runs, uint64_t *bytes, struct pm_error *error);

#endif
