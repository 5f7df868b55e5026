/* SPDX-License-Identifier: MIT */
/** @file Walks through the directories of one file system. Private. */
#ifndef PM_FILES_FOLDER_WALK_H
#define PM_FILES_FOLDER_WALK_H

#include <procmem/tmpfs.h>

#include "files/inode_set.h"

/** State of a walk through several file systems. */
struct pm_folder_walk {
	struct pm_tmpfs *tmpfs;    /**< receives directories and files */
	size_t folder_capacity;    /**< allocated elements of tmpfs->folders */
	struct pm_inode_set links; /**< files with several names that were counted */
	char *buffer;              /**< entries of a directory, owned */
	char **mount_names;        /**< last parts of all mount points, sorted; borrowed */
	size_t mount_name_count;   /**< number of elements of `mount_names` */
	uint64_t entries;          /**< number of entries so far */
	uint64_t entries_max;      /**< bound of `entries` */
	uint64_t deadline_ns;      /**< time of CLOCK_MONOTONIC when the walk ends */
	const volatile sig_atomic_t *cancel; /**< flag of the caller, or NULL */
};

/**
 * Starts a walk.
 *
 * @param walk     filled; release it with pm_folder_walk_deinit()
 * @param options  the bounds
 * @param tmpfs    receives directories and files
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_folder_walk_init(struct pm_folder_walk *walk, const struct pm_tmpfs_options *options,
                        struct pm_tmpfs *tmpfs, struct pm_error *error);

/**
 * Sets the names that mount points have. Files with such a name may block if they are examined.
 *
 * @param walk   the walk
 * @param names  last parts of all mount points; are sorted, and used until the walk ends
 * @param count  number of elements of `names`
 */
void pm_folder_walk_set_mounts(struct pm_folder_walk *walk, char **names, size_t count);

/**
 * Adds a file system: its root and all directories below.
 *
 * @param walk   the walk
 * @param mount  index of the mount, whose `device` is set; its `root` is set
 * @param fd     descriptor of the root directory (O_PATH suffices); not closed
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       0, also if a bound was reached; -1 on error
 */
int pm_folder_walk_add(struct pm_folder_walk *walk, size_t mount, int fd, struct pm_error *error);

/** Adds the sums of directories to those of their parents. Call it after the last mount. */
void pm_folder_walk_sum(struct pm_tmpfs *tmpfs);

/** Releases what the walk owns, but not `tmpfs`. */
void pm_folder_walk_deinit(struct pm_folder_walk *walk);

#endif
