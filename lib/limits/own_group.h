/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Paths in a cgroup namespace, and the directory of the own cgroup below a mount. Private.
 */
#ifndef PM_LIMITS_OWN_GROUP_H
#define PM_LIMITS_OWN_GROUP_H

#include <stddef.h>

#include <procmem/process.h>

/**
 * A path that is relative to the root of the cgroup namespace, such as `/../../web`
 * (cgroup_namespaces(7)).
 */
struct pm_relative_path {
	size_t ups;       /**< number of `/..` at the start */
	const char *rest; /**< path after them: "/web", or "" */
};

/** Parses a path. The `rest` of the result is a part of `path`. */
struct pm_relative_path pm_relative_path_parse(const char *path);

/**
 * Finds the path of a cgroup for a controller in the text of /proc/PID/cgroup, which has lines
 * `ID:CONTROLLERS:PATH` (cgroups(7)).
 *
 * @param text        modified: the path is terminated by a NUL
 * @param controller  name of the controller
 * @param version     receives the version of cgroups: 1 if a line lists the controller, otherwise 2
 * @return            the path, relative to the root of the cgroup namespace of the calling process;
 *                    NULL if the text has neither a line for the controller nor a line for v2
 */
char *pm_cgroup_path_find(char *text, const char *controller, int *version);

/**
 * Finds an ancestor of the own cgroup below a mount whose root is above the root of the cgroup
 * namespace. The names of the directories between these roots are not in any file of /proc, so
 * the directories are searched for the one whose cgroup.procs lists this process.
 *
 * The result is kept with the process. The directories are searched again only if the own cgroup
 * has changed in /proc/self/cgroup, or if the directory that was found does not exist any more.
 *
 * @param process     the process whose cgroup is searched; its directory of /proc is used
 * @param controller  controller of the hierarchy
 * @param folder      mount point
 * @param ups         number of `/..` in the root of the mount
 * @param path        receives the path of the ancestor below `folder`, such as "/machine/box",
 *                    which the caller frees. The ancestor is the root of the namespace, or one of
 *                    the cgroups above this root. NULL if the own cgroup was not found
 * @param error       PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int pm_own_group_find(struct pm_process *process, const char *controller, const char *folder,
                      size_t ups, char **path, struct pm_error *error);

#endif
