/* SPDX-License-Identifier: MIT */
/** @file Finds the directory of the cgroup of a process in the file system. Private. */
#ifndef PM_LIMITS_HIERARCHY_H
#define PM_LIMITS_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/headroom.h>
#include <procmem/process.h>

/** The hierarchy of a controller, and a cgroup in it. */
struct pm_hierarchy {
	/** Version of cgroups: 1 or 2. If no hierarchy of the process is visible, the version is 0
	 * and the strings are NULL. */
	int version;
	char *folder; /**< mount point of the hierarchy, owned */
	char *group;  /**< path of the cgroup relative to `folder`, such as "/shop/web", owned; ""
	                 for the root cgroup */
	/** Which cgroups are visible. PM_CGROUP_HIDDEN implies version 0. */
	enum pm_cgroup_view view;
};

/** Frees the strings of a hierarchy, and zeroes the hierarchy. */
void pm_hierarchy_deinit(struct pm_hierarchy *hierarchy);

/**
 * Reads the cgroup file of a process.
 *
 * @param process  the process
 * @param text     receives the text of the file, which the caller frees; NULL if the kernel has no
 *                 cgroups
 * @param error    PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_hierarchy_read_text(struct pm_process *process, char **text, struct pm_error *error);

/**
 * Finds the cgroup of a process on which a controller acts.
 *
 * If /proc/PID/cgroup has a line for the controller, the controller is in a v1 hierarchy.
 * Otherwise, the v2 hierarchy is used, which has the line `0::`. Mount points are read from
 * self/mountinfo below the proc root. In mount points below /sys, the prefix /sys is replaced by
 * the sys root. If there is no mountinfo, as in saved trees, the conventional directories below
 * fs/cgroup of the sys root are used.
 *
 * If this process is in a cgroup namespace, paths in /proc/PID/cgroup and the roots of mounts are
 * relative to the root of the namespace, such as `/../web`. The cgroup is found nevertheless if a
 * mount shows it.
 *
 * @param process     the process
 * @param controller  "memory" or "pids"
 * @param sys_root    directory that replaces /sys; NULL means "/sys"
 * @param hierarchy   receives the cgroup on success; release it with pm_hierarchy_deinit()
 * @param error       PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int pm_hierarchy_find(struct pm_process *process, const char *controller, const char *sys_root,
                      struct pm_hierarchy *hierarchy, struct pm_error *error);

/**
 * Finds the highest visible cgroup of a controller: the root of its mount. If the controller is not
 * in a v1 hierarchy, the v2 hierarchy is used.
 *
 * @param proc_root   directory of /proc
 * @param controller  "memory" or "pids"
 * @param sys_root    directory that replaces /sys
 * @param hierarchy   receives the cgroup, whose `group` is ""; its version is 0 if there is none;
 *                    release it with pm_hierarchy_deinit()
 * @param error       PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int pm_hierarchy_find_root(const char *proc_root, const char *controller, const char *sys_root,
                           struct pm_hierarchy *hierarchy, struct pm_error *error);

#endif
