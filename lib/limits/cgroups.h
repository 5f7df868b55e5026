/* SPDX-License-Identifier: MIT */
/** @file FILL cgroups.c */
#ifndef PM_LIMITS_CGROUPS_H
#define PM_LIMITS_CGROUPS_H

#include "limits/gather.h"

/**
 * Goes to the group whose memory limit leaves the least.
 * @return 1; 0 where none has a limit: the hierarchy stays as it was; -1
 */
int pm_cgroup_go_to_limit(struct pm_hierarchy *hierarchy, struct pm_error *error);

/**
 * Reads how often the kernel had to act in a group.
 * @param events zeroed before
 * @return 0 or -1
 */
int pm_cgroup_read_events(const struct pm_hierarchy *hierarchy, struct pm_limit_events *events,
                          struct pm_error *error);

/**
 * Adds the limits of memory cgroups, their events and pressure.
 * @return 0 or -1
 */
int pm_gather_memory_cgroup(struct pm_process *process, const char *sys_root,
                            struct pm_headroom *headroom, struct pm_error *error);

/**
 * Adds the limit of the pids controller.
 * @return 0 or -1
 */
int pm_gather_pids_cgroup(struct pm_process *process, const char *sys_root,
                          struct pm_headroom *headroom, struct pm_error *error);

/** Fills pressure from the text of a PSI file. */
void pm_pressure_parse(const char *text, struct pm_pressure *pressure);

#endif
