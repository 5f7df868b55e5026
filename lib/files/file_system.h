/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a file system is, without a question to its server. A server in the network or of FUSE that
 * is dead does not answer: statfs(2) can then block, and a signal with a handler does not end it.
 * Paths are looked up with proc/cached_lookup.h. Private.
 */
#ifndef PM_FILES_FILE_SYSTEM_H
#define PM_FILES_FILE_SYSTEM_H

#include <sys/stat.h>

#include "proc/procfs.h"

/** What a file system is, as far as it matters for the identity of files. */
enum pm_file_system {
	PM_FILE_SYSTEM_OTHER = 0, /**< any other, or not known */
	PM_FILE_SYSTEM_TMPFS,     /**< tmpfs */
	PM_FILE_SYSTEM_HUGETLBFS, /**< hugetlbfs */
	PM_FILE_SYSTEM_LAYERED,   /**< stat(2) returns another device than maps: btrfs, overlayfs */
};

/**
 * Finds the file system of a file in mountinfo.
 *
 * @param procfs  a process whose mount namespace may have the file system, or NULL; that of the
 *                calling process is used if it has not
 * @param status  the status of the file from statx(2), if possible with STATX_MNT_ID (Linux 5.8)
 * @return        the file system; PM_FILE_SYSTEM_OTHER also if it is mounted in neither
 */
enum pm_file_system pm_file_system_find(const struct pm_procfs *procfs, const struct statx *status);

#endif
