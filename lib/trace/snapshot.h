/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The list of intervals of a trace and the regions in /proc/PID/maps: the memory that was mapped
 * before the trace is taken from there, and the list is checked against them. Private.
 */
#ifndef PM_TRACE_SNAPSHOT_H
#define PM_TRACE_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/pagemap.h>
#include <procmem/process.h>
#include <procmem/region.h>

#include "trace/space.h"

/**
 * Adds the regions of a process to an empty list, as memory that was mapped before the trace.
 * Events that were recorded before the regions were read are applied afterwards: each of them only
 * repeats for its addresses what the regions show.
 *
 * @param space    the address space
 * @param process  the process
 * @param present  whether pages that are resident now count as touched before the trace
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_FORMAT
 * @return         0 or -1
 */
int pm_trace_snapshot_load(struct pm_trace_space *space, struct pm_process *process, bool present,
                           struct pm_error *error);

/**
 * Finds the size of the segment of shared memory that is attached at an address.
 * @param regions  the regions
 * @param start    the address
 * @return         bytes; 0 if nothing is mapped there
 */
uint64_t pm_trace_snapshot_segment(const struct pm_regions *regions, uint64_t start);

/** Addresses that only the list or only /proc/PID/maps contains. */
struct pm_trace_difference {
	uint64_t list;    /**< bytes that only the list contains */
	uint64_t regions; /**< bytes that only /proc/PID/maps contains */
};

/**
 * Compares the list with the regions. Addresses that events have changed since
 * `space->changed_since` are left out. Memory that the kernel maps without a system call of the
 * trace, such as a growing stack, is added to the list and does not count.
 *
 * @param space       the address space
 * @param regions     the regions, read after `space->changed_since`; all events until then were
 *                    applied
 * @param correct     whether to change the list so that it contains the addresses of the regions:
 *                    those that it lacks get the owner PM_STACK_NONE
 * @param suspects    the addresses that may differ: others are left out. Receives those of them
 *                    that differ, for the next comparison
 * @param difference  receives the bytes
 * @param error       PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int pm_trace_snapshot_compare(struct pm_trace_space *space, const struct pm_regions *regions,
                              bool correct, struct pm_trace_intervals *suspects,
                              struct pm_trace_difference *difference, struct pm_error *error);

#endif
