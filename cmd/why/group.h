/* SPDX-License-Identifier: MIT */
/** @file The cgroup whose limit matters: what its memory consists of over time. */
#ifndef CMD_WHY_GROUP_H
#define CMD_WHY_GROUP_H

#include <stdbool.h>

#include <procmem/cgroup_levels.h>
#include <procmem/series.h>

#include "target/neighbours.h"

/** A cgroup over time. Zeroed before the first use. */
struct why_group {
	bool given;                   /**< the user has named it */
	char *folder;                 /**< its directory; NULL: there is none; owned */
	char *path;                   /**< its path below the mount point; owned */
	uint64_t current;             /**< usage at the last sample; UINT64_MAX if not known */
	uint64_t max;                 /**< limit; UINT64_MAX if it has none */
	bool known;                   /**< `split` and `parts` are known */
	struct pm_cgroup_split split; /**< the parts at the last sample */
	struct pm_series parts[PM_CGROUP_PARTS]; /**< the parts over time */
	double members_due; /**< private: when its processes are listed again */
};

/**
 * Finds the cgroup that the user has named, and the process in it to investigate: the one that
 * grows fastest during some time or, if none grows, the largest one.
 *
 * @param group    zeroed; release with why_group_deinit(), even on failure
 * @param word     its directory or path
 * @param seconds  how long its processes are observed
 * @param pid      receives the process
 * @param error    as for cgroup_path_read(), PM_ERROR_NOT_FOUND if it has no process,
 *                 PM_ERROR_CANCELLED
 * @return         0 or -1
 */
int why_group_choose(struct why_group *group, const char *word, double seconds, pid_t *pid,
                     struct pm_error *error);

/**
 * Finds the nearest cgroup of a process that has a limit, unless the user has named one.
 *
 * @param group    zeroed, or filled by why_group_choose()
 * @param process  the process
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int why_group_find(struct why_group *group, struct pm_process *process, struct pm_error *error);

/**
 * Adds a sample. If the cgroup cannot be read any more, nothing is added.
 *
 * @param group       the cgroup
 * @param time        time of the sample, in seconds
 * @param neighbours  the processes around the target: those of a cgroup that the user has named are
 *                    followed from now on
 * @param error       PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int why_group_add(struct why_group *group, double time, struct neighbours *neighbours,
                  struct pm_error *error);

/** Releases a cgroup. */
void why_group_deinit(struct why_group *group);

#endif
