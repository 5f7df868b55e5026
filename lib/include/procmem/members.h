/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Who shares a process's memory limit: the processes of the cgroup that has it, and the page cache
 * that counts there.
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

/** Most processes of a group that are looked at; the others are only counted. */
#define PM_MEMBERS_MAX 2000

/**
 * One process. Sizes in bytes, as proc_pid_status(5) has them: memory that several processes share
 * counts for each of them.
 */
struct pm_member {
	pid_t pid;               /**< process ID */
	uint64_t rss;            /**< VmRSS */
	uint64_t swap;           /**< VmSwap */
	char comm[PM_COMM_SIZE]; /**< command name, any bytes but NUL */
};

/** The processes of a group and of all groups below it. */
struct pm_members {
	char *group; /**< the group, as a path below the cgroup mount, "/" for the top; NULL: no
	                group above the process has a limit; owned */
	struct pm_member *items; /**< the processes, by descending sum of RSS and swap; owned */
	size_t count;            /**< how many */
	size_t others; /**< processes that were not looked at: too many, or not of our PID namespace
	                */
	bool incomplete; /**< there are groups below that were not looked at: too many, nested too
	                    deep, or not readable for us */
	uint64_t cache; /**< bytes of page cache that count for the group, shared memory included */
	uint64_t reclaimable; /**< the part of it that nobody used lately (inactive_file): the
	                         kernel takes it back first */
};

/**
 * Reads who is in the cgroup whose memory limit leaves the least: the limit that pm_headroom_read()
 * calls PM_LIMIT_CGROUP.
 *
 * @param process   a process of the group
 * @param sys_root  directory that stands for /sys; NULL means "/sys"
 * @param members   filled; release with pm_members_deinit()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES; processes that end meanwhile are
 * left out
 * @return          0 or -1
 */
PM_PUBLIC int pm_members_read(struct pm_process *process, const char *sys_root,
                              struct pm_members *members, struct pm_error *error);

/**
 * Releases it.
 * @param members as read, or zeroed
 */
PM_PUBLIC void pm_members_deinit(struct pm_members *members);

#ifdef __cplusplus
}
#endif

#endif
