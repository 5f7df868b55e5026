/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Lookup of a path of a process without a question to the server of its file system. A server in
 * the network or of FUSE that is dead does not answer: the lookup can then block, and a signal with
 * a handler does not end it. Private.
 */
#ifndef PM_PROC_CACHED_LOOKUP_H
#define PM_PROC_CACHED_LOOKUP_H

#include "proc/procfs.h"

/**
 * Opens a path below the root directory of a process with O_PATH, if the kernel has all of its
 * parts in memory, as is always so for a file that is mapped. Before Linux 5.12, which cannot be
 * asked to look only there, any path is opened.
 *
 * @param procfs  the process
 * @param root    the link to the root directory, relative to the directory of the process: "root",
 *                or "task/TID/root" if the first thread has exited
 * @param path    an absolute path; symbolic links are followed within the root directory
 * @param flags   further flags of open(2), such as O_NOFOLLOW
 * @return        a descriptor, or -1 with errno set: EAGAIN if a server would have to be asked
 */
int pm_cached_lookup(const struct pm_procfs *procfs, const char *root, const char *path, int flags);

#endif
