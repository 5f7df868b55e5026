/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One /proc/PID directory, held open. Private.
 *
 * The descriptor is tied to the process, not to the number: once the process is gone everything
 * below answers ESRCH or ENOENT, even where the PID was handed out again.
 */
#ifndef PM_PROC_PROCFS_H
#define PM_PROC_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <procmem/error.h>

/** Most bytes that a small file of /proc (stat, status, comm) is expected to have. */
enum { PM_PROCFS_TEXT_MAX = 1 << 20 };

/** The directory of one process. */
struct pm_procfs {
	char *root; /**< directory that stands for /proc; owned */
	pid_t pid;  /**< the process */
	int fd;     /**< O_PATH descriptor of root/PID */
};

/**
 * Opens a directory.
 *
 * @param procfs filled; release with pm_procfs_close()
 * @param root directory that stands for /proc
 * @return 0, or -1 with errno set
 */
int pm_procfs_open(struct pm_procfs *procfs, const char *root, pid_t pid);

/** Releases it. */
void pm_procfs_close(struct pm_procfs *procfs);

/**
 * Opens a file below it, close-on-exec.
 * @return a descriptor, or -1 with errno set
 */
int pm_procfs_open_file(const struct pm_procfs *procfs, const char *name, int flags);

/**
 * Reads a file below it.
 *
 * @param procfs  the process
 * @param name    which file
 * @param most    bytes it may have
 * @param text    the caller frees it
 * @param length  where to store its length; may be NULL
 * @return        0, or -1 with errno set
 */
int pm_procfs_read_max(const struct pm_procfs *procfs, const char *name, size_t most, char **text,
                       size_t *length);

/**
 * Reads a small file below it.
 * @param text the caller frees it
 * @param length may be NULL
 * @return 0, or -1 with errno set
 */
int pm_procfs_read(const struct pm_procfs *procfs, const char *name, char **text, size_t *length);

/** Whether the directory is that of the running kernel and not a saved tree. */
bool pm_procfs_is_live(const struct pm_procfs *procfs);

/**
 * Lists the numbers that name entries of a directory below it, ascending: the threads in `task`.
 *
 * @param numbers  where to store the array; the caller frees it
 * @param count    where to store its length
 * @return         0, or -1 with errno set
 */
int pm_procfs_list_numbers(const struct pm_procfs *procfs, const char *name, pid_t **numbers,
                           size_t *count);

#endif
