/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What uses up the limit of memory: processes, directories in tmpfs, and files
 * that the process maps. Their growth is compared
 * with that of the cgroup, so that growth without an explanation is reported, too.
 */
#ifndef CMD_HEADROOM_FILLERS_H
#define CMD_HEADROOM_FILLERS_H

#include "headroom/headroom.h"

/** Maximum number of elements of headroom_fillers.items. */
enum { FILLERS_MAX = 24 };

/** Something that grows. Exactly one of the pointers is set. */
struct headroom_filler {
	const struct neighbour *process;   /**< a process, perhaps the target; NULL if not */
	const struct pm_tmpfs_row *folder; /**< a directory in tmpfs; NULL if not */
	const struct shared_file *file;    /**< a file that the process maps; NULL if not */
	const struct pm_shared_object
		*object; /**< shared memory without a directory; NULL if not */
	double rate;     /**< bytes per second, more than 0 */
	/** Time until it alone has used up what is left of headroom_fillers.limit; not known for a
	 * process of another cgroup, or a file on a disk, which is page cache */
	struct forecast_time time;
	/** Time until the file system of `folder` has reached its own limit, or until `file` has
	 * reached the end of its mappings */
	struct forecast_time own_time;
	/** A directory that may be charged to another cgroup: more grows than is charged to that of
	 * the limit */
	bool doubtful;
};

/** What uses up the limit. Pointers refer to the report. */
struct headroom_fillers {
	const struct pm_limit *limit; /**< limit of memory that is used up; NULL if there is none */
	struct headroom_filler items[FILLERS_MAX]; /**< the fastest first */
	size_t count;                              /**< number of `items` */
	bool others;                               /**< one of `items` is not the target */
	bool rate_known;                           /**< whether the following members are known */
	double rate;         /**< mean growth of the cgroup without what the kernel can reclaim */
	double by_processes; /**< part of `rate`: anonymous memory of its processes */
	double by_shmem;     /**< part of `rate`: tmpfs and shared memory */
	double by_kernel;    /**< part of `rate`: memory of the kernel */
	double found_shmem;  /**< growth of tmpfs and shared memory that was found; can be more than
	                        `by_shmem`, because other cgroups can be charged for it */
	/**
	 * Part of `rate` that none of these explains; 0 if it is within the error of the
	 * measurement. All rates are in bytes per second.
	 */
	double unexplained;
	/** `by_kernel`, or 0 as `unexplained` */
	double kernel_growth;
	/** Part of `by_shmem` that is neither in a file of tmpfs nor in an object of shared memory;
	 * 0 as `unexplained` */
	double shmem_unexplained;
};

/**
 * Finds what uses up the limit.
 *
 * @param report   the results; `headroom` and `rates` are set
 * @param fillers  filled; valid as long as the report
 */
void headroom_fillers_find(const struct headroom_report *report, struct headroom_fillers *fillers);

/**
 * Tests whether a process is subject to the limit. A descendant of the target can be in another
 * cgroup, whose limit it uses up.
 *
 * @param fillers  as filled by headroom_fillers_find()
 * @param process  an element of `around.neighbours`
 * @return         false if the limit is that of a cgroup to which the process does not belong
 */
bool headroom_fillers_shares_limit(const struct headroom_fillers *fillers,
                                   const struct neighbour *process);

#endif
