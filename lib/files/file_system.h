/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Questions to file systems that are answered without their server. A server in the network or of
 * FUSE that is dead does not answer: statfs(2) and the lookup of a path can then block, and a
 * signal with a handler does not end them. Private.
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

/**
 * Opens a path below the root directory of a process with O_PATH, if the kernel has all of its
 * parts in memory, as is always so for a file that is mapped. Before Linux 5.12, which cannot be
 * asked to look only there, any path is opened.
 *
 * @param procfs  the process
 * @param path    an absolute path; symbolic links are followed within the root directory
 * @return        a descriptor, or -1 with errno set: EAGAIN if a server would have to be asked
 */
int pm_file_system_open_cached(const struct pm_procfs *procfs, const char *path);

#endif
