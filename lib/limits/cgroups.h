/* SPDX-License-Identifier: MIT */
/** @file Reads limits, limit events and memory pressure of cgroups. Private. */
#ifndef PM_LIMITS_CGROUPS_H
#define PM_LIMITS_CGROUPS_H

#include <procmem/headroom.h>

#include "limits/hierarchy.h"

/**
 * Finds the cgroup whose memory limit has the least headroom, among a cgroup and its ancestors.
 *
 * @param hierarchy  the cgroup at which to start; receives the cgroup that was found in `group`,
 *                   unchanged if no cgroup has a limit
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           1; 0 if no cgroup has a limit; -1 on error
 */
int pm_cgroup_go_to_limit(struct pm_hierarchy *hierarchy, struct pm_error *error);

/**
 * Reads the counts of limit events of a cgroup, for example the number of OOM kills.
 *
 * @param hierarchy  the cgroup
 * @param events     receives the counts; the caller zeroes it before, because counts that the
 *                   kernel does not provide are not written
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_cgroup_read_events(const struct pm_hierarchy *hierarchy, struct pm_limit_events *events,
                          struct pm_error *error);

/**
 * Adds the limits of the memory controller, the counts of limit events, and the memory pressure.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param headroom  receives the limits
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_gather_memory_cgroup(struct pm_process *process, const char *sys_root,
                            struct pm_headroom *headroom, struct pm_error *error);

/**
 * Adds the limit of the pids controller.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param headroom  receives the limit
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_gather_pids_cgroup(struct pm_process *process, const char *sys_root,
                          struct pm_headroom *headroom, struct pm_error *error);

/**
 * Parses the text of a PSI file (/proc/pressure/memory, memory.pressure).
 *
 * @param text      contents of the file
 * @param pressure  receives the values; `known` becomes true if the text contains at least one of
 *                  them
 */
void pm_pressure_parse(const char *text, struct pm_pressure *pressure);

#endif
