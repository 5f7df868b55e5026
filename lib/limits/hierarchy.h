/* SPDX-License-Identifier: MIT */
/** @file Where the cgroup of a process is found as a folder, and the files in it. Private. */
#ifndef PM_LIMITS_HIERARCHY_H
#define PM_LIMITS_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>

/** The hierarchy of a controller and a process's place in it. */
struct pm_hierarchy {
	int version;  /**< 1 or 2; 0: the process is in no hierarchy that we see, the texts are NULL
	               */
	char *folder; /**< folder of the file system where its top that we see is mounted; owned */
	char *group;  /**< the process's group below that, "/shop/web", "" for the top itself; owned
	               */
};

/** Releases it. */
void pm_hierarchy_deinit(struct pm_hierarchy *hierarchy);

/**
 * Finds out where the cgroup of a process is mounted that a controller acts on.
 *
 * The v1 hierarchy counts where the process has a line for the controller: on mixed systems the
 * line `0::` exists too, but v2 does not have it then. Mount points come from self/mountinfo below
 * the proc root; those in /sys are looked for below the sys root. Without mountinfo (saved trees)
 * the conventional places below SYS/fs/cgroup are taken.
 *
 * @param process    the process
 * @param controller "memory" or "pids"
 * @param sys_root   directory that stands for /sys
 * @param hierarchy  filled on success; release with pm_hierarchy_deinit()
 * @param error      PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_hierarchy_find(struct pm_process *process, const char *controller, const char *sys_root,
                      struct pm_hierarchy *hierarchy, struct pm_error *error);

#endif
