/* SPDX-License-Identifier: MIT */
/** @file The processes of a cgroup and of all its descendants. Private. */
#ifndef PM_LIMITS_CGROUP_PIDS_H
#define PM_LIMITS_CGROUP_PIDS_H

#include <stdbool.h>
#include <sys/types.h>

#include <procmem/error.h>

/**
 * Called for each process.
 *
 * @param context  the `context` that was passed to pm_cgroup_pids_visit()
 * @param pid      process ID; 0 if the process belongs to another PID namespace, or if the number
 *                 is not a PID
 * @param error    to be filled on failure
 * @return         0 to continue, -1 to end with a filled error
 */
typedef int pm_cgroup_pid_visitor(void *context, pid_t pid, struct pm_error *error);

/**
 * Visits the processes of a cgroup and of all its descendants. A cgroup that is removed during the
 * call has no processes.
 *
 * @param folder      directory of the cgroup
 * @param visit       called for each process
 * @param context     passed to `visit`
 * @param incomplete  becomes true if the processes of some cgroups are missing: there are too many
 *                    cgroups, or these cgroups are nested too deeply, or they are not accessible;
 *                    otherwise unchanged
 * @param error       PM_ERROR_RESOURCES, or the error of `visit`
 * @return            0 or -1
 */
int pm_cgroup_pids_visit(const char *folder, pm_cgroup_pid_visitor *visit, void *context,
                         bool *incomplete, struct pm_error *error);

#endif
