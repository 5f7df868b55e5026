/* SPDX-License-Identifier: MIT */
/** @file FILL system.c */
#ifndef PM_LIMITS_SYSTEM_H
#define PM_LIMITS_SYSTEM_H

#include "limits/gather.h"

/**
 * Adds the number of regions.
 * @return 0 or -1
 */
int pm_gather_mappings(struct pm_process *process, struct pm_headroom *headroom,
                       struct pm_error *error);

/** Adds the limit on the number of regions, where these are known. */
void pm_gather_mappings_of(const char *proc_root, const struct pm_regions *regions,
                           struct pm_headroom *headroom);

/**
 * Adds resource limits, setrlimit(2).
 * @return 0 or -1
 */
int pm_gather_resource_limits(struct pm_process *process, struct pm_headroom *headroom,
                              struct pm_error *error);

/** Adds the machine's memory. */
void pm_gather_system_memory(const char *proc_root, struct pm_headroom *headroom);

/** Adds the machine's threads. */
void pm_gather_system_threads(const char *proc_root, struct pm_headroom *headroom);

#endif
