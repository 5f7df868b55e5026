/* SPDX-License-Identifier: MIT */
/** @file Location of the cgroup of a process in the file system. Private. */
#ifndef PM_LIMITS_HIERARCHY_H
#define PM_LIMITS_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>

/** The hierarchy of a controller, and a group in it. */
struct pm_hierarchy {
	int version;  /**< 1 or 2; 0: the process is in no hierarchy that we see, and the texts are
	                 NULL */
	char *folder; /**< mount point of the hierarchy; owned */
	char *group;  /**< path of the group below it, "/shop/web", "" for the top; owned */
};

/** Releases what a hierarchy owns. */
void pm_hierarchy_deinit(struct pm_hierarchy *hierarchy);

/**
 * Finds the cgroup of a process on which a controller acts.
 *
 * The v1 hierarchy applies if the cgroup file of the process has a line for the controller: on
 * mixed systems there is also a line `0::`, but v2 does not have this controller then. Mount points
 * are read from self/mountinfo below the proc root; those in /sys are searched below the sys root.
 * Without mountinfo (saved trees) the conventional places below SYS/fs/cgroup are used.
 *
 * @param process     the process
 * @param controller  "memory" or "pids"
 * @param sys_root    directory that replaces /sys; NULL means "/sys"
 * @param hierarchy   filled on success; release with pm_hierarchy_deinit()
 * @param error       PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int pm_hierarchy_find(struct pm_process *process, const char *controller, const char *sys_root,
                      struct pm_hierarchy *hierarchy, struct pm_error *error);

#endif
