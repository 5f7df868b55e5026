/* SPDX-License-Identifier: MIT */
/** @file The cgroups of the listed processes. Each cgroup is looked up once. */
#ifndef CMD_PS_CGROUPS_H
#define CMD_PS_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/container.h>
#include <procmem/process_cgroup.h>

/** A cgroup. */
struct ps_cgroup {
	struct pm_process_cgroup own; /**< version and path in /proc/PID/cgroup; owned */
	/** Path below the mount point; NULL if no mount shows the cgroup; owned */
	char *visible;
	bool in_container;             /**< `container` is valid */
	struct pm_container container; /**< the container to which the cgroup belongs */
	bool limited;                  /**< `limit` is valid */
	uint64_t limit;                /**< smallest memory limit of the cgroup and its ancestors */
	bool complete;                 /**< all of this was read */
};

/** The cgroups found so far. A zeroed structure is an empty list. */
struct ps_cgroups {
	struct ps_cgroup **items; /**< the cgroups, by version and path; owned */
	size_t count;             /**< number of cgroups */
};

/**
 * Finds the cgroup of a process.
 *
 * @param cgroups  the cgroups found so far
 * @param process  the process
 * @return         the cgroup, valid as long as `cgroups`; NULL if the cgroup cannot be read, or if
 *                 the process has none
 */
const struct ps_cgroup *ps_cgroups_find(struct ps_cgroups *cgroups, struct pm_process *process);

/**
 * Returns the name of a cgroup: the path below the mount point, or the path in /proc/PID/cgroup if
 * no mount shows the cgroup.
 *
 * @param cgroup  the cgroup
 * @return        the path, borrowed
 */
const char *ps_cgroups_name(const struct ps_cgroup *cgroup);

/**
 * Releases the cgroups.
 * @param cgroups  the cgroups; empty afterwards
 */
void ps_cgroups_deinit(struct ps_cgroups *cgroups);

#endif
