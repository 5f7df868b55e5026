/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The memory limit of a process: the smallest of its cgroup and all ancestors, v2 (memory.max) or
 * v1 (memory.limit_in_bytes).
 */
#ifndef PROCMEM_LIMITS_H
#define PROCMEM_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A memory limit of a cgroup. */
struct pm_cgroup_limit {
	bool limited;     /**< false: no ancestor has a limit, and the other fields are empty */
	int version;      /**< 1 or 2 */
	uint64_t max;     /**< the limit in bytes */
	uint64_t current; /**< bytes charged to the group that has the limit, 0 if unknown */
	char group[1024]; /**< path of that group below the cgroup mount, "/shop"; the top is "/";
	                     only the end of a longer path */
};

/**
 * Finds the memory limit of a process: the smallest of its group and all ancestors, the nearest of
 * several equal ones.
 *
 * The mount point of the hierarchy is read from self/mountinfo below the proc root of the process;
 * without it, as in saved trees, the conventional places below SYS/fs/cgroup are used. On mixed
 * systems v1 applies if it controls memory. Groups that our own cgroup namespace or mounts do not
 * show, such as those around our own container, are not considered.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys". With another root, mounts
 *                  outside of /sys are ignored
 * @param limit     filled
 * @param error     PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_IO, PM_ERROR_RESOURCES; a system
 *                  without memory cgroups is not an error
 * @return          0 or -1
 */
PM_PUBLIC int pm_cgroup_limit_read(struct pm_process *process, const char *sys_root,
                                   struct pm_cgroup_limit *limit, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
