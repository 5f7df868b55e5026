/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The processes that share the memory limit of a process, and the page cache that is charged to
 * their cgroup.
 */
#ifndef PROCMEM_MEMBERS_H
#define PROCMEM_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of processes of a group that are read; further ones are only counted. */
#define PM_MEMBERS_MAX 2000

/**
 * A process. Sizes in bytes, as in proc_pid_status(5): memory that processes share is counted for
 * each of them.
 */
struct pm_member {
	pid_t pid;               /**< process ID */
	uint64_t rss;            /**< VmRSS */
	uint64_t swap;           /**< VmSwap */
	char comm[PM_COMM_SIZE]; /**< command name, any bytes but NUL */
};

/** The processes of a group and of all groups below it. */
struct pm_members {
	char *group; /**< path of the group below the cgroup mount, "/" for the top; NULL: no group
	                of the process has a limit; owned */
	struct pm_member *items; /**< the processes, by descending sum of RSS and swap; owned */
	size_t count;            /**< number of processes */
	size_t others;   /**< processes that were not read: too many, or of another PID namespace */
	bool incomplete; /**< some groups below were not read: too many, nested too deep, or not
	                    accessible */
	uint64_t cache;  /**< bytes of page cache charged to the group, including shared memory */
	uint64_t reclaimable; /**< part of the cache that was not used recently (inactive_file): the
	                         kernel reclaims it first */
};

/**
 * Reads the processes of the cgroup whose memory limit has the least memory left. This is the limit
 * that pm_headroom_read() returns as PM_LIMIT_CGROUP.
 *
 * @param process   a process of the group
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param members   filled; release with pm_members_deinit()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES; processes that end concurrently
 *                  are left out
 * @return          0 or -1
 */
PM_PUBLIC int pm_members_read(struct pm_process *process, const char *sys_root,
                              struct pm_members *members, struct pm_error *error);

/**
 * Releases the members.
 * @param members  filled by pm_members_read(), or zeroed
 */
PM_PUBLIC void pm_members_deinit(struct pm_members *members);

#ifdef __cplusplus
}
#endif

#endif
