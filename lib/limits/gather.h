/* SPDX-License-Identifier: MIT */
/** @file The sources of limits. Each adds those that it finds. Private. */
#ifndef PM_LIMITS_GATHER_H
#define PM_LIMITS_GATHER_H

#include <procmem/headroom.h>

#include "limits/hierarchy.h"

/**
 * Adds the limits of memory cgroups, their events and pressure.
 * @return 0 or -1
 */
int pm_gather_memory_group(struct pm_process *process, const char *sys_root,
                           struct pm_headroom *headroom, struct pm_error *error);

/**
 * Reads how often the kernel had to act in a group.
 * @param events zeroed before
 * @return 0 or -1
 */
int pm_read_group_events(const struct pm_hierarchy *hierarchy, struct pm_limit_events *events,
                         struct pm_error *error);

/**
 * Goes to the group whose memory limit leaves the least.
 * @return 1; 0 where none has a limit: the hierarchy stays as it was; -1
 */
int pm_group_go_to_limit(struct pm_hierarchy *hierarchy, struct pm_error *error);

/**
 * Adds the limit of the pids controller.
 * @return 0 or -1
 */
int pm_gather_pids_group(struct pm_process *process, const char *sys_root,
                         struct pm_headroom *headroom, struct pm_error *error);

/** Adds the machine's memory. */
void pm_gather_system_memory(const char *proc_root, struct pm_headroom *headroom);

/** Adds the machine's threads. */
void pm_gather_system_threads(const char *proc_root, struct pm_headroom *headroom);

/**
 * Adds resource limits, setrlimit(2).
 * @return 0 or -1
 */
int pm_gather_resource_limits(struct pm_process *process, struct pm_headroom *headroom,
                              struct pm_error *error);

/** Adds the limit on the number of regions, where these are known. */
void pm_gather_mappings_of(const char *proc_root, const struct pm_regions *regions,
                           struct pm_headroom *headroom);

/**
 * Adds the number of regions.
 * @return 0 or -1
 */
int pm_gather_mappings(struct pm_process *process, struct pm_headroom *headroom,
                       struct pm_error *error);

/** Fills pressure from the text of a PSI file. */
void pm_pressure_parse(const char *text, struct pm_pressure *pressure);

#endif
