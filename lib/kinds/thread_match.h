/* SPDX-License-Identifier: MIT */
/** @file Finds the regions that hold the stacks of threads. Private. */
#ifndef PM_KINDS_THREAD_MATCH_H
#define PM_KINDS_THREAD_MATCH_H

#include "kinds/rule.h"

/** A thread and the region that holds its stack. */
struct pm_thread_match {
	struct pm_region *region;
	const struct pm_thread *thread;
	bool by_descriptor; /**< found by its thread descriptor; otherwise by its stack pointer */
};

/** All matches, by region, then by TID. */
struct pm_thread_matches {
	struct pm_thread_match *items;
	size_t count;
	size_t capacity;
};

/**
 * Finds threads by their stack pointers.
 *
 * @param context  the context
 * @param matches  receives them; the caller frees its items, also on failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_thread_match_pointers(struct pm_kinds_context *context, struct pm_thread_matches *matches,
                             struct pm_error *error);

/**
 * Finds threads whose stack pointer is not shown, because they are running, by the thread
 * descriptor that glibc keeps at the top of a stack. Only on x86-64: other architectures have it
 * elsewhere.
 *
 * @param context  the context
 * @param matches  receives them; the caller frees its items, also on failure
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_thread_match_descriptors(struct pm_kinds_context *context, struct pm_thread_matches *matches,
                                struct pm_error *error);

/** Adds a match. */
int pm_thread_match_add(struct pm_thread_matches *matches, struct pm_thread_match match,
                        struct pm_error *error);

/** Sorts the matches. */
void pm_thread_match_sort(struct pm_thread_matches *matches);

#endif
