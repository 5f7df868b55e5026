/* SPDX-License-Identifier: MIT */
/** @file The levels of cgroups. Private. */
#ifndef PM_PRESSURE_CGROUP_LEVEL_H
#define PM_PRESSURE_CGROUP_LEVEL_H

#include "limits/hierarchy.h"
#include "pressure/levels.h"

/**
 * Adds the level of a memory cgroup.
 *
 * @param group    the cgroup
 * @param unified  the cgroup of v2 that has the same processes, for the PSI; used only if `group`
 *                 is a cgroup of v1. Its version is 0 if there is none
 * @param levels   receives the level
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_cgroup_level_add(const struct pm_hierarchy *group, const struct pm_hierarchy *unified,
                        struct pm_levels *levels, struct pm_error *error);

/**
 * Adds the levels of the cgroups directly below the root: those with the largest usage, at most
 * PM_PRESSURE_TOP_MAX.
 *
 * @param root    the root cgroup
 * @param levels  receives the levels
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_cgroup_level_add_top(const struct pm_hierarchy *root, struct pm_levels *levels,
                            struct pm_error *error);

/**
 * Returns the memory of a cgroup on a NUMA node, from memory.numa_stat.
 *
 * @param text     text of the file
 * @param version  version of cgroups
 * @param node     number of the node
 * @param bytes    receives the number of bytes
 * @return         false if the text does not have it
 */
bool pm_cgroup_level_on_node(const char *text, int version, unsigned node, uint64_t *bytes);

#endif
