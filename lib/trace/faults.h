/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which stack has touched memory that was mapped before the trace. Private.
 */
#ifndef PM_TRACE_FAULTS_H
#define PM_TRACE_FAULTS_H

#include "trace/space.h"

/**
 * Applies a page fault.
 *
 * @param space  the address space
 * @param event  the event; arguments[0] is the address
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_trace_faults_add(struct pm_trace_space *space, const struct pm_trace_event *event,
                        struct pm_error *error);

/**
 * Applies a call of madvise(2) that has not failed. Pages that it gives back will belong to the
 * stack that touches them next. Pages that MADV_POPULATE_* creates without page faults belong to
 * the stack of the call.
 *
 * @param space  the address space
 * @param event  the event
 * @param range  its addresses, rounded to pages
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_trace_faults_advise(struct pm_trace_space *space, const struct pm_trace_event *event,
                           struct pm_range range, struct pm_error *error);

/**
 * Tests whether the next page fault in an interval gives its page to the stack of the fault.
 * @param owner  the owner of the interval
 * @return       true or false
 */
bool pm_trace_faults_untouched(const struct pm_trace_owner *owner);

/**
 * Finds who has touched a page that is resident, although no page fault was recorded for it. The
 * kernel makes several pages present in one page fault: all of a huge page, or pages of a file
 * around the address. The owner is that of the first touched page in the same aligned block.
 *
 * @param space   the address space
 * @param block   the block: a huge page of 2 MiB, or 64 KiB of a file
 * @param owner   receives the owner
 * @return        whether a page in the block was touched
 */
bool pm_trace_faults_around(const struct pm_trace_space *space, struct pm_range block,
                            struct pm_trace_owner *owner);

#endif
