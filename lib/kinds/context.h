/* SPDX-License-Identifier: MIT */
/**
 * @file Functions on the context that all rules share: lists of regions, neighbours, threads,
 * texts. Private.
 */
#ifndef PM_KINDS_CONTEXT_H
#define PM_KINDS_CONTEXT_H

#include "kinds/rule.h"

/** Returns the region that begins where `region` ends, or NULL if there is none. */
struct pm_region *pm_kinds_above(const struct pm_kinds_context *context,
                                 const struct pm_region *region);

/** Returns the region that ends where `region` begins, or NULL if there is none. */
struct pm_region *pm_kinds_below(const struct pm_kinds_context *context,
                                 const struct pm_region *region);

/** Frees the memory that a context owns, except `objects`. */
void pm_kinds_context_deinit(struct pm_kinds_context *context);

/**
 * Prepares a context. Call pm_kinds_context_deinit() also on failure.
 *
 * @param context   receives the state before the first rule
 * @param regions   the regions; results of an earlier classification are removed
 * @param evidence  the evidence; may be NULL
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_kinds_context_init(struct pm_kinds_context *context, struct pm_regions *regions,
                          const struct pm_kinds_evidence *evidence, struct pm_error *error);

/**
 * Returns the next region of a class that no rule has claimed so far.
 *
 * @param context  the context
 * @param class    the class
 * @param at       position in the list; 0 before the first call, updated by each call
 * @return         a region, or NULL at the end of the list
 */
struct pm_region *pm_kinds_next(const struct pm_kinds_context *context, enum pm_region_class class,
                                size_t *at);

/**
 * Reads the list of threads at the first call; further calls do nothing. The list stays empty if
 * this process is not permitted to read it, or if the target is not running and the evidence
 * contains no threads.
 *
 * @param context  receives the list in `threads` and `thread_count`
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_kinds_read_threads(struct pm_kinds_context *context, struct pm_error *error);

/** Returns the sum of the resident bytes of all regions whose sizes are known. */
uint64_t pm_kinds_resident(const struct pm_regions *regions);

/**
 * Formats a text that lives as long as the regions. If an equal text was formatted recently, that
 * text is returned.
 *
 * @param context  the context; out_of_memory is set if the text cannot be stored
 * @param format   as for printf(3)
 * @return         the text, or "" if the text cannot be stored
 */
const char *pm_kinds_text(struct pm_kinds_context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Sets the detail of a region to the threads whose stacks are in the region.
 *
 * @param context  the context; out_of_memory is set if the threads cannot be stored
 * @param region   the region
 * @param type     PM_DETAIL_THREADS or PM_DETAIL_THREAD_GUARD
 * @param threads  the threads by ascending TID; only the first PM_DETAIL_THREADS_MAX elements are
 *                 used
 * @param count    number of threads that were found
 * @param stacks   number of stacks in the region; 0 if not known
 */
void pm_kinds_set_threads(struct pm_kinds_context *context, struct pm_region *region,
                          enum pm_detail_type type, const struct pm_detail_thread *threads,
                          size_t count, uint32_t stacks);

/**
 * Finds a thread by TID in the list that pm_kinds_read_threads() has read. Returns NULL if the list
 * does not contain the thread.
 */
const struct pm_thread *pm_kinds_thread(const struct pm_kinds_context *context, pid_t tid);

/**
 * Returns the name of a thread: the one inside a runtime if it is longer than the one that the
 * kernel has, and starts with it.
 *
 * @param context  the context
 * @param thread   the thread
 * @return         the name; valid as long as `thread` and the runtimes
 */
const char *pm_kinds_thread_name(const struct pm_kinds_context *context,
                                 const struct pm_thread *thread);

#endif
