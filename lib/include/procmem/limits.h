/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The memory limit that applies to a process: the nearest cgroup limit over all its ancestors, v2
 * (memory.max) or v1 (memory.limit_in_bytes).
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
	bool limited;     /**< false: no ancestor has a limit, the other fields are empty */
	int version;      /**< 1 or 2 */
	uint64_t max;     /**< the limit in bytes */
	uint64_t current; /**< bytes charged to the group that has the limit, 0 where unknown */
	char group[1024]; /**< the group that has it, as a path below the cgroup mount, "/shop"; the
	                     top is "/"; of a longer one the end */
};

/**
 * Finds the memory limit that applies: the smallest over the process's group and all ancestors of
 * it, the nearest of several equal ones.
 *
 * Where the hierarchy is mounted says self/mountinfo below the process's proc root (without it, as
 * in saved trees: the conventional places below SYS/fs/cgroup). On mixed systems v1 counts where it
 * controls memory. Groups that our own cgroup namespace or mounts do not show, such as those around
 * a container that we run in, cannot be considered.
 *
 * @param process   the process
 * @param sys_root  directory that stands for /sys; NULL means "/sys". With another root, mounts
 * outside of /sys are not looked at.
 * @param limit     filled
 * @param error     PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_IO, PM_ERROR_RESOURCES; a system
 * without memory cgroups is no error
 * @return          0 or -1
 */
PM_PUBLIC int pm_cgroup_limit_read(struct pm_process *process, const char *sys_root,
                                   struct pm_cgroup_limit *limit, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
