/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A memory cgroup of a test's own, below the one that the test runs in. Whether one can be made
 * depends on the machine:
 *
 *     const char *obstacle = group_make(&group, 64 << 20);
 *     if (!obstacle)
 *         obstacle = group_add(&group, target.pid);
 *     ... ; stop what is in it
 *     group_remove(&group);
 *     if (obstacle)
 *         skip_because("%s", obstacle);
 */
#ifndef TESTS_SUPPORT_GROUP_H
#define TESTS_SUPPORT_GROUP_H

#include <stdint.h>
#include <sys/types.h>

/** A group. Zeroed means none. */
struct group {
	int version;       /**< of cgroups, 1 or 2 */
	char path[1024];   /**< as a process's cgroup file has it */
	char folder[4096]; /**< where its files are */
};

/**
 * Makes one with a limit.
 * @param limit in bytes
 * @return why there can be none, or NULL; release with group_remove() in any case
 */
const char *group_make(struct group *group, uint64_t limit);

/**
 * Moves a process into it.
 * @return why that cannot be, or NULL
 */
const char *group_add(const struct group *group, pid_t pid);

/**
 * Writes a number to a file of it.
 * @return 0 or -1
 */
int group_write(const struct group *group, const char *name, uint64_t number);

/** Removes it; the processes in it must be dead. Harmless on a zeroed one. */
void group_remove(struct group *group);

#endif
