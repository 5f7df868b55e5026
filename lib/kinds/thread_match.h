/* SPDX-License-Identifier: MIT */
/** @file Finds the regions that hold the stacks of threads. Private. */
#ifndef PM_KINDS_THREAD_MATCH_H
#define PM_KINDS_THREAD_MATCH_H

#include "kinds/rule.h"

/** A thread and the region that holds its stack. */
struct pm_thread_match {
	struct pm_region *region;
	const struct pm_thread *thread;
	bool by_descriptor; /**< whether the stack was found by the thread descriptor, and not by
	                       the stack pointer */
};

/** A list of matches; pm_thread_match_sort() sorts it by region, then by TID. */
struct pm_thread_matches {
	struct pm_thread_match *items;
	size_t count;
	size_t capacity;
};

/**
 * Finds the stacks of threads by their stack pointers.
 *
 * @param context  the context
 * @param matches  receives the matches; the caller frees their items, also on failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_thread_match_pointers(struct pm_kinds_context *context, struct pm_thread_matches *matches,
                             struct pm_error *error);

/**
 * Finds the stacks of running threads, whose stack pointers the kernel does not show. Each is found
 * by the thread descriptor that glibc stores at the top of a stack. Works only on x86-64; on other
 * architectures, the descriptor has another place or layout.
 *
 * @param context  the context
 * @param matches  receives the matches; the caller frees their items, also on failure
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_thread_match_descriptors(struct pm_kinds_context *context, struct pm_thread_matches *matches,
                                struct pm_error *error);

/** Adds a match to the list. */
int pm_thread_match_add(struct pm_thread_matches *matches, struct pm_thread_match match,
                        struct pm_error *error);

/** Sorts the matches by region, then by TID. */
void pm_thread_match_sort(struct pm_thread_matches *matches);

#endif
