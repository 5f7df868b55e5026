/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The address space of the target according to the recorded events: which stack mapped, or touched
 * first, which addresses. Private.
 *
 * Memory that was mapped before the trace is in the list with the mark `before`. Its pages that
 * were resident when the trace began have the mark `present`. A page fault in other pages of this
 * memory gives these pages the stack of the fault.
 *
 * Arguments of system calls come from the target and are not trusted: a range of addresses that
 * cannot exist is ignored.
 */
#ifndef PM_TRACE_SPACE_H
#define PM_TRACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>
#include <procmem/range.h>

#include "trace/events.h"
#include "trace/intervals.h"

/** What was counted for a stack. */
struct pm_trace_counts {
	uint64_t calls;   /**< calls that mapped memory */
	uint64_t touches; /**< page faults that touched memory which was mapped before the trace */
	uint64_t faults;  /**< page faults in memory that this stack has mapped */
};

/** Memory that a thread is about to release: munmap and mremap have begun. */
struct pm_trace_pending {
	uint64_t tid;                  /**< the thread */
	bool active;                   /**< whether the end of the call was not seen yet */
	enum pm_trace_kind kind;       /**< PM_TRACE_MUNMAP_BEGIN or PM_TRACE_MREMAP_BEGIN */
	struct pm_range range;         /**< its old addresses */
	struct pm_trace_pieces pieces; /**< what the list contained there */
};

/** A segment of System V shared memory. */
struct pm_trace_segment {
	uint64_t start; /**< where it is attached */
	uint64_t size;  /**< its size in bytes, a multiple of the page size */
	uint64_t id;    /**< its shmid; UINT64_MAX if attached before the trace */
};

/**
 * Finds the size of a segment of shared memory from the regions of the target.
 * @param context  the context of the address space
 * @param start    where the segment is attached
 * @param time     when it was attached
 * @return         bytes; 0 if nothing is mapped at this address
 */
typedef uint64_t pm_trace_segment_size(void *context, uint64_t start, uint64_t time);

/** The address space; pm_trace_space_init() fills all members. */
struct pm_trace_space {
	struct pm_trace_intervals *list; /**< who mapped which addresses */

	struct pm_trace_counts *counts; /**< by number of stack */
	size_t counts_capacity;         /**< number of items, all of them valid */

	/** End of the brk heap, a multiple of the page size; 0 if not known yet */
	uint64_t brk;

	struct pm_trace_pending *pending; /**< by ascending thread */
	size_t pending_count;             /**< number of items */
	size_t pending_capacity;          /**< number of allocated items */

	struct pm_trace_segment *segments; /**< attached segments of shared memory */
	size_t segment_count;              /**< number of items */
	size_t segment_capacity;           /**< number of allocated items */
	pm_trace_segment_size *size;       /**< finds the size of a segment; NULL: unknown */
	void *context;                     /**< first argument of `size` */

	/** Addresses that events from `changed_since` on have mapped or released */
	struct pm_trace_intervals *changed;
	uint64_t changed_since; /**< nanoseconds of CLOCK_MONOTONIC; UINT64_MAX: none is kept */
};

/**
 * Creates an empty address space.
 * @param space  filled; release with pm_trace_space_deinit()
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_trace_space_init(struct pm_trace_space *space, struct pm_error *error);

/**
 * Releases an address space.
 * @param space  the address space; zeroed afterwards
 */
void pm_trace_space_deinit(struct pm_trace_space *space);

/**
 * Applies an event. PM_TRACE_EXEC empties the list; the counts of stacks remain. PM_TRACE_LOST has
 * no effect.
 *
 * @param space  the address space
 * @param event  the event; events are applied in the order of their times
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_trace_space_apply(struct pm_trace_space *space, const struct pm_trace_event *event,
                         struct pm_error *error);

/**
 * Returns the counts of a stack.
 * @param space  the address space
 * @param stack  number of the stack
 * @return       the counts; all 0 if nothing was counted for it
 */
struct pm_trace_counts pm_trace_space_counts(const struct pm_trace_space *space, uint32_t stack);

/**
 * Makes the counts of a stack available for a change.
 *
 * @param space   the address space
 * @param stack   number of the stack
 * @param counts  receives the counts, valid until the next call
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_trace_space_count(struct pm_trace_space *space, uint32_t stack,
                         struct pm_trace_counts **counts, struct pm_error *error);

/**
 * Notes a segment of shared memory that is attached.
 *
 * @param space    the address space
 * @param segment  the segment; replaces a segment with the same start
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_trace_space_attach(struct pm_trace_space *space, struct pm_trace_segment segment,
                          struct pm_error *error);

/** Size of a page in bytes: traces exist for x86-64 only. */
#define PM_TRACE_PAGE ((uint64_t)4096)

/** Addresses of processes end here: 2^56 with five levels of page tables. */
#define PM_TRACE_ADDRESS_END ((uint64_t)1 << 56)

#endif
