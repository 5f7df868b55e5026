/* SPDX-License-Identifier: MIT */
/** @file Numbers for the pairs of a stack and a thread: for sites that are of one thread. Private.
 */
#ifndef PM_TRACE_THREAD_STACKS_H
#define PM_TRACE_THREAD_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>
#include <procmem/trace.h>

#include "stack/table.h"

/** A stack of a thread. */
struct pm_trace_thread_stack {
	uint32_t stack; /**< number of the stack */
	pid_t tid;      /**< the thread */
};

/** The pairs; empty if zeroed. */
struct pm_trace_thread_stacks {
	struct pm_trace_thread_stack *items; /**< pair N is item N - 1 */
	size_t count;                        /**< number of items */
	size_t capacity;                     /**< number of allocated items */
	struct pm_stack_table table;         /**< finds items */
	uint64_t seed;                       /**< of the hashes; 0: not set yet */
};

/**
 * Returns the number of a pair, which is added if it is new.
 *
 * @param pairs   the pairs
 * @param pair    the pair
 * @param number  receives the number; PM_STACK_NONE if that is the stack
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_trace_thread_stacks_add(struct pm_trace_thread_stacks *pairs,
                               struct pm_trace_thread_stack pair, uint32_t *number,
                               struct pm_error *error);

/**
 * Replaces the pairs in a result by their stacks.
 * @param pairs   the pairs
 * @param result  a result with a number of a pair, or PM_STACK_NONE, as the stack of each site
 */
void pm_trace_thread_stacks_replace(const struct pm_trace_thread_stacks *pairs,
                                    struct pm_trace_result *result);

/**
 * Releases the pairs.
 * @param pairs  empty afterwards
 */
void pm_trace_thread_stacks_deinit(struct pm_trace_thread_stacks *pairs);

#endif
