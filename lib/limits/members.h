/* SPDX-License-Identifier: MIT */
/** @file Reads the processes of a given cgroup. Private. */
#ifndef PM_LIMITS_MEMBERS_H
#define PM_LIMITS_MEMBERS_H

#include <procmem/members.h>

#include "limits/hierarchy.h"

/**
 * Reads the processes of a cgroup and its descendants.
 *
 * @param hierarchy  the cgroup
 * @param proc_root  directory to use as /proc
 * @param members    receives the processes; release them with pm_members_deinit()
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_members_read_group(const struct pm_hierarchy *hierarchy, const char *proc_root,
                          struct pm_members *members, struct pm_error *error);

#endif
