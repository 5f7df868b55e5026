/* SPDX-License-Identifier: MIT */
/** @file Reads the limits of the machine and the resource limits of a process. Private. */
#ifndef PM_LIMITS_SYSTEM_H
#define PM_LIMITS_SYSTEM_H

#include <stdbool.h>

#include <procmem/headroom.h>
#include <procmem/region.h>

/**
 * Reads the regions of the process, and adds the limit on their number. Adds nothing if this
 * process may not read the regions, or if the target has no memory.
 *
 * @param process   the process
 * @param headroom  receives the limit
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_gather_mappings(struct pm_process *process, struct pm_headroom *headroom,
                       struct pm_error *error);

/**
 * Adds the limit on the number of regions. The caller has already read the regions.
 *
 * @param proc_root  directory of /proc
 * @param regions    the regions
 * @param headroom   receives the limit
 */
void pm_gather_mappings_of(const char *proc_root, const struct pm_regions *regions,
                           struct pm_headroom *headroom);

/**
 * Adds the resource limits of the process (setrlimit(2)).
 *
 * @param process   the process
 * @param headroom  receives the limits
 * @param error     PM_ERROR_GONE
 * @return          0 or -1
 */
int pm_gather_resource_limits(struct pm_process *process, struct pm_headroom *headroom,
                              struct pm_error *error);

/** Adds the memory and swap of the machine as a limit. */
void pm_gather_system_memory(const char *proc_root, struct pm_headroom *headroom);

/**
 * Returns whether a process is in the first PID namespace.
 *
 * @param proc_root  directory of /proc
 * @param directory  name below `proc_root`: a PID, or "self"
 * @return           false if the process is in another namespace; true if its namespace is not
 *                   known
 */
bool pm_is_in_first_pid_namespace(const char *proc_root, const char *directory);

/**
 * Adds the limits on the numbers of threads and of thread IDs of the machine. The limit on IDs is
 * approximate unless this process and the target are in the first PID namespace: from Linux 6.14
 * on, each PID namespace has a kernel.pid_max of its own, but the threads of the machine are
 * counted.
 *
 * @param process   the process
 * @param headroom  receives the limits
 */
void pm_gather_system_threads(struct pm_process *process, struct pm_headroom *headroom);

#endif
