/* SPDX-License-Identifier: MIT */
/** @file The check of the list of mapped memory. Private. */
#ifndef PM_TRACE_COMPARE_H
#define PM_TRACE_COMPARE_H

#include "trace/trace.h"

/**
 * Compares the list with the regions, and corrects the list if it differs. It can differ although
 * no loss was reported: the kernel reports lost events only with the next event. Adds the
 * difference to that of the trace.
 *
 * @param trace  the trace
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_IO, PM_ERROR_GONE
 * @return       0 or -1
 */
int pm_trace_compare(struct pm_trace *trace, struct pm_error *error);

#endif
