/* SPDX-License-Identifier: MIT */
/** @file The list of the members of a family: joining, reading sizes, ending. Private. */
#ifndef PM_FAMILY_ROSTER_H
#define PM_FAMILY_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/family.h>

#include "proc/process_handle.h"
#include "proc/self.h"

/** What is known about a member besides its public part. */
struct pm_roster_slot {
	int fd;      /**< O_PATH descriptor of its directory; -1 if it is not held open */
	bool listed; /**< the current update found the process in the group or by its name */
	/** Start of the stack (proc_pid_stat(5)), which changes with each exec; 0 if unknown */
	uint64_t stack;
	char *reason; /**< why the member cannot be read; owned; NULL if it can be read */
};

/** The members of a family. */
struct pm_roster {
	char *root;         /**< directory to use as /proc; owned */
	bool live;          /**< whether `root` is a proc file system and not a saved tree */
	bool swap;          /**< whether swap is in use, so that status must be read */
	bool skip_own;      /**< whether the processes of `own` do not join */
	struct pm_self own; /**< this process, and ancestors that only run it */
	struct pm_family_member *items; /**< the members; parallel to `slots`; owned */
	struct pm_roster_slot *slots;
	size_t count, items_capacity, slots_capacity;
	uint32_t *index;   /**< hash table: PID to 1 + index of the living member; owned */
	size_t index_size; /**< number of entries of `index`, a power of two */
	uint64_t next_id;
	uint64_t updates;  /**< number of updates so far */
	size_t open_count; /**< number of directories held open */
	size_t open_max;   /**< maximum of `open_count` */
	size_t beyond;     /**< number of processes that could not join because of PM_FAMILY_MAX */
};

/**
 * Initializes an empty list.
 *
 * @param roster  filled; release it with pm_roster_deinit(), also on failure
 * @param root    directory to use as /proc; copied
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_roster_init(struct pm_roster *roster, const char *root, struct pm_error *error);

/** Releases a list; all zeros afterwards. */
void pm_roster_deinit(struct pm_roster *roster);

/**
 * Starts an update: removes the members that the last update reported as ended, and reads the
 * others. `listed` becomes false for all members.
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_roster_refresh(struct pm_roster *roster, struct pm_error *error);

/**
 * Adds a process, unless it is a member. A process that has ended is not added. The member is
 * marked as `listed`.
 *
 * @param roster  the list
 * @param pid     process ID
 * @param below   whether the process is added only if its parent is a member
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_roster_join(struct pm_roster *roster, pid_t pid, bool below, struct pm_error *error);

/**
 * Finds a living member.
 * @return index of the member; `count` if there is none with this PID
 */
size_t pm_roster_find(const struct pm_roster *roster, pid_t pid);

/**
 * Marks living members that are not `listed` as PM_FAMILY_LEFT. A process that is ending has no
 * names and no cgroup any more: it remains a member until it has no memory, and is then marked as
 * PM_FAMILY_ENDED.
 *
 * @param roster  the list
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_roster_leave(struct pm_roster *roster, struct pm_error *error);

/** Finds the parents of the members. */
void pm_roster_link(struct pm_roster *roster);

#endif
