/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The cgroup of a process, as a name for the group of processes that it belongs to. limits.h has
 * the limits of the cgroup.
 */
#ifndef PROCMEM_PROCESS_CGROUP_H
#define PROCMEM_PROCESS_CGROUP_H

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The cgroup of a process. Release it with pm_process_cgroup_deinit(). */
struct pm_process_cgroup {
	/** Version of cgroups: 1 or 2; 0 if the process has no cgroup that could account memory */
	int version;
	/**
	 * The path in /proc/PID/cgroup (cgroups(7)), any bytes but NUL and newline; owned. It is
	 * relative to the cgroup namespace of the calling process, and begins with `/..` if the
	 * cgroup is outside of this namespace. NULL if `version` is 0.
	 */
	char *path;
};

/**
 * Reads the cgroup of a process on which the memory controller acts: the v1 cgroup of this
 * controller or, if v1 does not control memory, the v2 cgroup. Reads one file of the process.
 *
 * @param process  the process
 * @param cgroup   receives the cgroup; release it with pm_process_cgroup_deinit()
 * @param error    PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_IO, PM_ERROR_RESOURCES; a kernel without
 *                 cgroups is not an error
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_cgroup_read(struct pm_process *process, struct pm_process_cgroup *cgroup,
                                     struct pm_error *error);

/**
 * Finds the path of the cgroup of a process below the mount point of its hierarchy. This is the
 * name under which limits.h and headroom.h report the cgroup. It differs from the path in
 * /proc/PID/cgroup if the calling process is in a cgroup namespace. Reads the list of mounts, so it
 * should be called once for each cgroup, not for each process.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param path      receives the path, such as "/shop/web"; "/" for the root cgroup; the caller
 *                  frees it. NULL if no mount shows the cgroup
 * @param error     PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
PM_PUBLIC int pm_process_cgroup_visible(struct pm_process *process, const char *sys_root,
                                        char **path, struct pm_error *error);

/**
 * Releases a cgroup.
 * @param cgroup  the cgroup, or zeroed; zeroed afterwards
 */
PM_PUBLIC void pm_process_cgroup_deinit(struct pm_process_cgroup *cgroup);

#ifdef __cplusplus
}
#endif

#endif
