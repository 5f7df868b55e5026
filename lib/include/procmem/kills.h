/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Whether the kernel killed a process for lack of memory. The count of its cgroup tells, also after
 * its end.
 */
#ifndef PROCMEM_KILLS_H
#define PROCMEM_KILLS_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The memory cgroup of a process, kept in mind; opaque. Not to be shared between threads. */
struct pm_kills;

/**
 * Finds the cgroup.
 *
 * @param process   the process
 * @param sys_root  directory that stands for /sys; NULL means "/sys"
 * @param kills     where to store it; release with pm_kills_close()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES; a system without memory cgroups
 * is no error
 * @return          0 or -1
 */
PM_PUBLIC int pm_kills_open(struct pm_process *process, const char *sys_root,
                            struct pm_kills **kills, struct pm_error *error);

/**
 * Releases it.
 * @param kills as stored by pm_kills_open(), or NULL
 */
PM_PUBLIC void pm_kills_close(struct pm_kills *kills);

/**
 * Reads how many processes of the cgroup the kernel has killed because its memory or that of the
 * machine was used up (`oom_kill` of memory.events, or of memory.oom_control since Linux 4.13).
 * Needs no process any more, only that the cgroup is still there.
 *
 * @param kills  the cgroup
 * @param count  where to store it
 * @return       false where it is not known
 */
PM_PUBLIC bool pm_kills_count(const struct pm_kills *kills, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
