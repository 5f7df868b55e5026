/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Counts the processes that the kernel killed in a cgroup for lack of memory. The cgroup is found
 * from one of its processes. The count can still be read after this process has exited.
 */
#ifndef PROCMEM_KILLS_H
#define PROCMEM_KILLS_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The memory cgroup of a process; opaque. Only one thread at a time may use it. */
struct pm_kills;

/**
 * Finds the cgroup of a process.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param kills     receives the handle; release it with pm_kills_close()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES; a system without memory cgroups
 *                  is not an error
 * @return          0 or -1
 */
PM_PUBLIC int pm_kills_open(struct pm_process *process, const char *sys_root,
                            struct pm_kills **kills, struct pm_error *error);

/**
 * Releases a handle.
 * @param kills  the handle, or NULL
 */
PM_PUBLIC void pm_kills_close(struct pm_kills *kills);

/**
 * Reads the number of processes that the kernel has killed in the cgroup because the memory of the
 * cgroup or of the machine was exhausted. The number is `oom_kill` in memory.events (v2) or in
 * memory.oom_control (v1, since Linux 4.13). The cgroup must still exist; the process may have
 * exited.
 *
 * @param kills  the handle
 * @param count  receives the number
 * @return       true; false, with `count` unchanged, if the number is not known
 */
PM_PUBLIC bool pm_kills_count(const struct pm_kills *kills, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
