/* SPDX-License-Identifier: MIT */
/** @file Where the memory cgroup of a process is found as a folder. Private. */
#ifndef PM_LIMITS_HIERARCHY_H
#define PM_LIMITS_HIERARCHY_H

#include <procmem/process.h>

/** The memory hierarchy and a process's place in it. */
struct pm_hierarchy {
	int version;  /**< 1 or 2; 0: the process is in no hierarchy that we see, the texts are NULL */
	char *folder; /**< folder of the file system where its top that we see is mounted; owned */
	char *group;  /**< the process's group below that, "/shop/web", "" for the top itself; owned */
};

/** Releases it. */
void pm_hierarchy_deinit(struct pm_hierarchy *hierarchy);

/**
 * Finds out where the memory cgroup of a process is mounted.
 *
 * The v1 hierarchy counts where the process has a line for the controller `memory`: on mixed systems the line `0::` exists too, but v2
 * does not control memory then. Mount points come from self/mountinfo below the proc root; those in /sys are looked for below the sys root.
 * Without mountinfo (saved trees) the conventional places below SYS/fs/cgroup are taken.
 *
 * @param process    the process
 * @param sys_root   directory that stands for /sys
 * @param hierarchy  filled on success; release with pm_hierarchy_deinit()
 * @param error      PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_hierarchy_find(struct pm_process *process, const char *sys_root, struct pm_hierarchy *hierarchy, struct pm_error *error);

#endif
