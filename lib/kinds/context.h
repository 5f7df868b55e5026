/* SPDX-License-Identifier: MIT */
/** @file FILL context.c */
#ifndef PM_KINDS_CONTEXT_H
#define PM_KINDS_CONTEXT_H

#include "kinds/rule.h"

/** The region that begins where this one ends, or NULL. */
struct pm_region *pm_kinds_above(const struct pm_kinds_context *context,
                                 const struct pm_region *region);

/** The region that ends where this one begins, or NULL. */
struct pm_region *pm_kinds_below(const struct pm_kinds_context *context,
                                 const struct pm_region *region);

/** Releases what a context holds. */
void pm_kinds_context_deinit(struct pm_kinds_context *context);

/** Prepares the context; releases nothing on failure: call pm_kinds_context_deinit() always. */
int pm_kinds_context_init(struct pm_kinds_context *context, struct pm_regions *regions,
                          const struct pm_kinds_evidence *evidence, struct pm_error *error);

/**
 * The next region of this look that no rule has claimed.
 * @param at cursor, 0 at first
 * @return NULL at the end
 */
struct pm_region *pm_kinds_next(const struct pm_kinds_context *context, enum pm_region_class looks,
                                size_t *at);

/**
 * Lists the threads, once for all rules; where we may not, the list is empty.
 *
 * @param context  its `threads` are filled
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_kinds_read_threads(struct pm_kinds_context *context, struct pm_error *error);

/** Resident bytes of all these regions, as far as they are known. */
uint64_t pm_kinds_resident(const struct pm_regions *regions);

/**
 * Makes a text that lives as long as the regions; equal texts made lately are shared.
 * @return "" and context->out_of_memory where it could not
 */
const char *pm_kinds_text(struct pm_kinds_context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Sets the detail of a region to threads that have their stack in it.
 *
 * @param context  out_of_memory is set where they cannot be stored
 * @param region   the region
 * @param type     PM_DETAIL_THREADS, PM_DETAIL_THREAD_GUARD
 * @param threads  the threads by ascending TID, at least the first PM_DETAIL_THREADS_MAX
 * @param count    number of threads that were found
 * @param stacks   number of stacks in the region, 0 where not known
 */
void pm_kinds_set_threads(struct pm_kinds_context *context, struct pm_region *region,
                          enum pm_detail_type type, const struct pm_detail_thread *threads,
                          size_t count, uint32_t stacks);

/** The thread of this TID, or NULL; reads no thread list itself. */
const struct pm_thread *pm_kinds_thread(const struct pm_kinds_context *context, pid_t tid);

#endif
