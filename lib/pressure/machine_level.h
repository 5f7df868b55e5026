/* SPDX-License-Identifier: MIT */
/** @file The levels of the machine and of its NUMA nodes. Private. */
#ifndef PM_PRESSURE_MACHINE_LEVEL_H
#define PM_PRESSURE_MACHINE_LEVEL_H

#include "limits/hierarchy.h"
#include "pressure/levels.h"

/**
 * Adds the level of the machine.
 *
 * @param proc_root  directory of /proc
 * @param sys_root   directory of /sys
 * @param levels     receives the level
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_machine_level_add(const char *proc_root, const char *sys_root, struct pm_levels *levels,
                         struct pm_error *error);

/**
 * Adds the levels of the NUMA nodes, by number, at most PM_PRESSURE_NODES_MAX.
 *
 * @param sys_root  directory of /sys
 * @param group     cgroup whose memory on each node is read; NULL if there is none
 * @param levels    receives the levels
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_machine_level_add_nodes(const char *sys_root, const struct pm_hierarchy *group,
                               struct pm_levels *levels, struct pm_error *error);

#endif
