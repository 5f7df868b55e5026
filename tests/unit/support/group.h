/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A memory cgroup for a test, below the one in which the test runs. It depends on the machine
 * whether it can be created:
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

/** A cgroup. Zeroed means none. */
struct group {
	int version;       /**< of cgroups, 1 or 2 */
	char path[1024];   /**< as in the cgroup file of a process */
	char folder[4096]; /**< folder with its files */
};

/**
 * Creates a cgroup with a limit.
 * @param group  filled; release with group_remove() in any case
 * @param limit  in bytes
 * @return       the reason why it cannot be created, or NULL
 */
const char *group_make(struct group *group, uint64_t limit);

/**
 * Moves a process into a cgroup.
 * @return the reason why it cannot be moved, or NULL
 */
const char *group_add(const struct group *group, pid_t pid);

/**
 * Writes a number to a file of a cgroup.
 * @return 0 or -1
 */
int group_write(const struct group *group, const char *name, uint64_t number);

/** Removes a cgroup, whose processes must be dead. No effect on a zeroed one. */
void group_remove(struct group *group);

#endif
