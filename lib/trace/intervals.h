/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The list of address intervals of a trace, each with the stack that mapped it. Private.
 *
 * The list is independent of the regions in /proc/PID/maps, because the kernel merges these. An
 * operation takes a time that grows with the logarithm of the number of intervals. Neighbours with
 * the same owner are merged.
 */
#ifndef PM_TRACE_INTERVALS_H
#define PM_TRACE_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/range.h>

/** Who mapped an interval, or touched it if it was mapped before the trace. */
struct pm_trace_owner {
	uint32_t stack;  /**< number of the stack; PM_STACK_NONE if unknown */
	uint32_t thread; /**< thread ID; 0 if unknown */
	bool before;     /**< mapped before the trace began */
	bool reserve;    /**< not accessible yet: mprotect(2) gives it the stack that commits it */
	bool present;    /**< `before`: its pages were resident or in swap when the trace began */
	bool released;   /**< `before`: given back by madvise(2), so that the next fault owns it */
};

/** An interval. */
struct pm_trace_interval {
	struct pm_range range;       /**< its addresses */
	struct pm_trace_owner owner; /**< who mapped it */
};

/** Copies of intervals, by ascending address. Zeroed means none. */
struct pm_trace_pieces {
	struct pm_trace_interval *items; /**< the copies */
	size_t count;                    /**< number of items */
	size_t capacity;                 /**< number of allocated items */
};

/** A list; opaque. */
struct pm_trace_intervals;

/**
 * Creates an empty list.
 * @param list   receives the list; release with pm_trace_intervals_close()
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_trace_intervals_open(struct pm_trace_intervals **list, struct pm_error *error);

/**
 * Releases a list.
 * @param list  the list; may be NULL
 */
void pm_trace_intervals_close(struct pm_trace_intervals *list);

/**
 * Removes a range of addresses.
 *
 * @param list   the list
 * @param range  the range; may be empty
 * @param error  PM_ERROR_RESOURCES
 * @return       0, or -1 with the list unchanged
 */
int pm_trace_intervals_cut(struct pm_trace_intervals *list, struct pm_range range,
                           struct pm_error *error);

/**
 * Sets the owner of a range of addresses, whatever the list contained there.
 *
 * @param list   the list
 * @param range  the range; may be empty
 * @param owner  the owner
 * @param error  PM_ERROR_RESOURCES
 * @return       0, or -1 with the list unchanged
 */
int pm_trace_intervals_set(struct pm_trace_intervals *list, struct pm_range range,
                           struct pm_trace_owner owner, struct pm_error *error);

/**
 * Sets the owner of those parts of a range that the list does not contain.
 *
 * @param list   the list
 * @param range  the range; may be empty
 * @param owner  the owner
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_trace_intervals_fill(struct pm_trace_intervals *list, struct pm_range range,
                            struct pm_trace_owner owner, struct pm_error *error);

/**
 * Copies the intervals in a range. The first and the last copy are clipped to the range.
 *
 * @param list    the list
 * @param range   the range
 * @param pieces  the copies are appended
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_trace_intervals_copy(const struct pm_trace_intervals *list, struct pm_range range,
                            struct pm_trace_pieces *pieces, struct pm_error *error);

/**
 * Finds the parts of a range that the list does not contain.
 *
 * @param list    the list
 * @param range   the range
 * @param owner   owner of the parts
 * @param pieces  the parts are appended
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_trace_intervals_gaps(const struct pm_trace_intervals *list, struct pm_range range,
                            struct pm_trace_owner owner, struct pm_trace_pieces *pieces,
                            struct pm_error *error);

/**
 * Finds the first interval that ends after an address.
 *
 * @param list      the list
 * @param address   the address
 * @param interval  receives the interval
 * @return          whether there is one
 */
bool pm_trace_intervals_find(const struct pm_trace_intervals *list, uint64_t address,
                             struct pm_trace_interval *interval);

/**
 * Returns the number of intervals.
 * @param list  the list
 * @return      the number
 */
size_t pm_trace_intervals_count(const struct pm_trace_intervals *list);

/**
 * Removes all intervals.
 * @param list  the list
 */
void pm_trace_intervals_clear(struct pm_trace_intervals *list);

/**
 * Tests whether two owners are the same.
 * @param a  an owner
 * @param b  an owner
 * @return   true or false
 */
bool pm_trace_intervals_same(struct pm_trace_owner a, struct pm_trace_owner b);

#endif
