/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The files in /proc about the memory of a process. If the first thread is dead, its files are
 * empty or missing, and the files of another living thread are used. Private.
 */
#ifndef PM_PROC_MEMORY_FILE_H
#define PM_PROC_MEMORY_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "proc/procfs.h"

/**
 * Tests whether a file is about the memory.
 * @param name  name below /proc/PID, such as "smaps"; only files directly below it are recognised
 * @return      false for other files, and for files in directories
 */
bool pm_memory_file_is(const char *name);

/**
 * Finds a thread whose files in /proc show the memory: the leader, or if the leader is dead,
 * another living thread.
 * @param procfs  the process
 * @return        the thread ID; the PID if there is no such thread, or if stat cannot be read
 */
pid_t pm_memory_file_thread(const struct pm_procfs *procfs);

/**
 * Finds the first living thread other than the leader.
 * @param procfs  the process
 * @return        the thread ID; the PID if there is no such thread, or if the threads cannot be
 *                listed
 */
pid_t pm_memory_file_living_thread(const struct pm_procfs *procfs);

/**
 * Opens a file about the memory through a thread that still has memory.
 *
 * @param procfs  the process
 * @param name    name below /proc/PID; also a name in map_files or below the root directory
 * @param flags   flags of open(2); O_CLOEXEC is added
 * @return        a descriptor, or -1 with errno set
 */
int pm_memory_file_open(const struct pm_procfs *procfs, const char *name, int flags);

#endif
