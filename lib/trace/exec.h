/* SPDX-License-Identifier: MIT */
/** @file The target of a trace after exec, and what is read of it. Private. */
#ifndef PM_TRACE_EXEC_H
#define PM_TRACE_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

/**
 * Finds the size of a segment of shared memory, as pm_trace_segment_size does. The regions are read
 * again only for a segment that was attached after that, because the target decides on the number
 * of segments.
 * @param context  the trace
 * @param start    where the segment is attached
 * @param time     when it was attached
 * @return         bytes; 0 if not known
 */
uint64_t pm_trace_exec_segment_size(void *context, uint64_t start, uint64_t time);

/**
 * Tests whether a process has ended: then its PID can belong to another process.
 * @param process  the process
 * @return         true or false
 */
bool pm_trace_exec_ended(const struct pm_process *process);

/**
 * Opens the process again, and takes the memory of the new program into the list.
 * @param trace  the trace
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_UNSUPPORTED (a 32-bit program)
 * @return       0 or -1
 */
int pm_trace_exec_follow(struct pm_trace *trace, struct pm_error *error);

#endif
