/* SPDX-License-Identifier: MIT */
/** @file What each stack is responsible for: the sites of a trace. Private. */
#ifndef PM_TRACE_RESULT_H
#define PM_TRACE_RESULT_H

#include <signal.h>

#include <stdbool.h>

#include <procmem/pagemap.h>
#include <procmem/trace.h>

#include "trace/space.h"

/**
 * Measures the resident bytes of all intervals, and sums them by stack. A site that has no memory
 * any more is left out.
 *
 * @param space    the address space
 * @param pagemap  page states of the target; NULL: the target has exited, and the result is marked
 *                 as not measured
 * @param cancel   cancel flag; may be NULL
 * @param result   filled, except for `seconds`; release with pm_trace_result_deinit()
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED, PM_ERROR_GONE, PM_ERROR_IO
 * @return         0 or -1
 */
int pm_trace_result_make(const struct pm_trace_space *space, struct pm_pagemap *pagemap,
                         const volatile sig_atomic_t *cancel, struct pm_trace_result *result,
                         struct pm_error *error);

/**
 * Measures the parts of intervals that are in some ranges.
 *
 * @param space    the address space
 * @param pagemap  page states of the target; NULL as for pm_trace_result_make()
 * @param ranges   the ranges, by ascending address, without overlap
 * @param count    number of ranges
 * @param cancel   cancel flag; may be NULL
 * @param result   filled, except for `seconds`; release with pm_trace_result_deinit()
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED, PM_ERROR_GONE, PM_ERROR_IO
 * @return         0 or -1
 */
int pm_trace_result_make_ranges(const struct pm_trace_space *space, struct pm_pagemap *pagemap,
                                const struct pm_range *ranges, size_t count,
                                const volatile sig_atomic_t *cancel, struct pm_trace_result *result,
                                struct pm_error *error);

/**
 * Copies a result.
 *
 * @param from   the result
 * @param to     receives the copy; release with pm_trace_result_deinit()
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_trace_result_copy(const struct pm_trace_result *from, struct pm_trace_result *to,
                         struct pm_error *error);

/**
 * Tests whether a stack of a result has a frame that is in no file and has no name.
 * @param result  the result
 * @param stacks  the stacks, with their names
 * @return        whether there is generated code without a name
 */
bool pm_trace_result_is_unnamed(const struct pm_trace_result *result,
                                const struct pm_stacks *stacks);

#endif
