/* SPDX-License-Identifier: MIT */
/** @file Which thread has its stack in which region. Private. */
#ifndef PM_KINDS_THREAD_MATCH_H
#define PM_KINDS_THREAD_MATCH_H

#include "kinds/rule.h"

/** A thread and the region that holds its stack. */
struct pm_thread_match {
	struct pm_region *region;
	const struct pm_thread *thread;
	bool by_descriptor; /**< by its thread descriptor; else by its stack pointer */
};

/** All of them, by region, then by TID. */
struct pm_thread_matches {
	struct pm_thread_match *items;
	size_t count;
	size_t capacity;
};

/**
 * Finds threads by their stack pointers.
 * @param matches filled; the caller frees its items, also on failure
 */
int pm_thread_match_pointers(struct pm_kinds_context *context, struct pm_thread_matches *matches,
                             struct pm_error *error);

/**
 * Finds threads whose stack pointer is not shown, because they run, by the thread descriptor that
 * glibc keeps at the top of a stack. On x86-64 only: other processors have it elsewhere.
 */
int pm_thread_match_descriptors(struct pm_kinds_context *context, struct pm_thread_matches *matches,
                                struct pm_error *error);

/** Adds one. */
int pm_thread_match_add(struct pm_thread_matches *matches, struct pm_thread_match match,
                        struct pm_error *error);

/** Brings them into order. */
void pm_thread_match_sort(struct pm_thread_matches *matches);

#endif
