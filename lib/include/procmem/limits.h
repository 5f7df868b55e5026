/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The memory limit of a process: the smallest of the limits of its cgroup and of all ancestors of
 * this cgroup. The limits are those of cgroup v2 (memory.max) or v1 (memory.limit_in_bytes).
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
	/**
	 * Whether there is a limit. If neither the cgroup of the process nor an ancestor has a
	 * limit, `limited` is false, and all other members are zero.
	 */
	bool limited;
	int version;      /**< version of cgroups: 1 or 2 */
	uint64_t max;     /**< the limit in bytes */
	uint64_t current; /**< bytes charged to the cgroup that has the limit; 0 if unknown */
	/**
	 * Path, below the mount point, of the cgroup that has the limit, such as "/shop"; "/" for
	 * the root cgroup. If the path is too long, this is "..." and the end of the path.
	 */
	char group[1024];
};

/**
 * Finds the memory limit of a process: the smallest of the limits of its cgroup and of all
 * ancestors of this cgroup. If several limits are equal, that of the cgroup nearest to the process
 * is returned.
 *
 * The mount point of the hierarchy is read from self/mountinfo in the directory that was passed to
 * pm_process_open() as `proc_root`, usually /proc. If there is no such file, as in a saved copy of
 * /proc and /sys, the usual directories below `sys_root`/fs/cgroup are used. If both versions of
 * cgroups are mounted, v1 is used if it controls memory. Cgroups that the calling process cannot
 * see, such as those above its container, are not considered.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys, also at the start of the mount points in
 *                  mountinfo; NULL means "/sys". If it is another directory than /sys, mount points
 *                  that do not start with "/sys" are ignored
 * @param limit     receives the limit
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
