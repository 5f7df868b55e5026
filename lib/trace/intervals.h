/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The list of address intervals of a trace, each with the stack that mapped it. Private.
 *
 * The list is independent of the regions in /proc/PID/maps, because the kernel merges these. An
 * operation takes a time that grows with the logarithm of the number of intervals. Neighbours with
 * the same values are merged.
 */
#ifndef PM_TRACE_INTERVALS_H
#define PM_TRACE_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/range.h>

/** Who mapped an interval. */
struct pm_trace_owner {
	uint32_t stack;  /**< number of the stack; PM_STACK_NONE if unknown */
	uint32_t thread; /**< thread ID */
	bool before;     /**< mapped before the trace began */
	bool reserve;    /**< not accessible yet: mprotect(2) gives it the stack that commits it */
};

/** An interval. */
struct pm_trace_interval {
	struct pm_range range;       /**< its addresses */
	struct pm_trace_owner owner; /**< who mapped it */
};

/** A list; opaque. */
struct pm_trace_intervals;

/** Creates an empty list. Returns 0, or -1 with PM_ERROR_RESOURCES. */
int pm_trace_intervals_open(struct pm_trace_intervals **list, struct pm_error *error);

/** Releases a list, which may be NULL. */
void pm_trace_intervals_close(struct pm_trace_intervals *list);

/** Removes a range of addresses. Returns 0, or -1 with PM_ERROR_RESOURCES. */
int pm_trace_intervals_cut(struct pm_trace_intervals *list, struct pm_range range,
                           struct pm_error *error);

/** Sets the owner of a range of addresses, whatever the list contained there. */
int pm_trace_intervals_set(struct pm_trace_intervals *list, struct pm_range range,
                           struct pm_trace_owner owner, struct pm_error *error);

/**
 * Moves what is in a range to another address, with the owners. The destination is cut first. What
 * is not in the list is not moved.
 * @param keep  whether the old range stays (MREMAP_DONTUNMAP)
 */
int pm_trace_intervals_move(struct pm_trace_intervals *list, struct pm_range from, uint64_t to,
                            bool keep, struct pm_error *error);

/**
 * Finds the first interval that ends after an address.
 * @return  true if there is one
 */
bool pm_trace_intervals_find(const struct pm_trace_intervals *list, uint64_t address,
                             struct pm_trace_interval *interval);

/** Returns the number of intervals. */
size_t pm_trace_intervals_count(const struct pm_trace_intervals *list);

/** Removes all intervals. */
void pm_trace_intervals_clear(struct pm_trace_intervals *list);

#endif
