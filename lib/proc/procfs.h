/* SPDX-License-Identifier: MIT */
/**
 * @file
 * An open /proc/PID directory. Private.
 *
 * The descriptor refers to the process, not to the PID. Once the process is gone, opening a file
 * below the directory fails with ESRCH or ENOENT, even if the PID was reused.
 */
#ifndef PM_PROC_PROCFS_H
#define PM_PROC_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <procmem/error.h>

/** Maximum length in bytes of a small file of /proc (stat, status, comm). */
enum { PM_PROCFS_TEXT_MAX = 1 << 20 };

/** The directory of one process. */
struct pm_procfs {
	char *root; /**< directory to use as /proc; owned */
	pid_t pid;  /**< PID of the process */
	int fd;     /**< O_PATH descriptor of root/PID */
};

/**
 * Opens the directory of a process.
 *
 * @param procfs  receives the open directory; release with pm_procfs_close()
 * @param root    directory to use as /proc
 * @param pid     the process
 * @return        0, or -1 with errno set
 */
int pm_procfs_open(struct pm_procfs *procfs, const char *root, pid_t pid);

/** Closes the directory of a process. */
void pm_procfs_close(struct pm_procfs *procfs);

/**
 * Opens a file below the directory of a process.
 *
 * @param procfs  the process
 * @param name    path of the file below the directory
 * @param flags   flags of open(2); O_CLOEXEC is added
 * @return        a descriptor, or -1 with errno set
 */
int pm_procfs_open_file(const struct pm_procfs *procfs, const char *name, int flags);

/**
 * Reads a file below the directory of a process.
 *
 * @param procfs  the process
 * @param name    path of the file below the directory
 * @param max     maximum length in bytes; for a longer file, fails with EFBIG
 * @param text    receives the text, which the caller frees
 * @param length  receives the length in bytes; may be NULL
 * @return        0, or -1 with errno set
 */
int pm_procfs_read_max(const struct pm_procfs *procfs, const char *name, size_t max, char **text,
                       size_t *length);

/**
 * Reads a file of at most PM_PROCFS_TEXT_MAX bytes below the directory of a process.
 *
 * @param procfs  the process
 * @param name    path of the file below the directory
 * @param text    receives the text, which the caller frees
 * @param length  receives the length in bytes; may be NULL
 * @return        0, or -1 with errno set
 */
int pm_procfs_read(const struct pm_procfs *procfs, const char *name, char **text, size_t *length);

/** The error for a /proc that pm_procfs_is_mounted() refuses. */
#define PM_PROCFS_NOT_MOUNTED                                                                   \
	"/proc is not a proc file system, so no process can be found: run 'mount -t proc proc " \
	"/proc' as root"

/**
 * Tests whether a directory can contain processes: /proc must be a proc file system. Any other
 * directory is taken for a saved copy of /proc.
 * @param root  the directory that is used as /proc
 * @return      false only for a /proc that is not a proc file system
 */
bool pm_procfs_is_mounted(const char *root);

/** Tests whether the directory is in a proc file system; the result is false for a saved tree. */
bool pm_procfs_is_live(const struct pm_procfs *procfs);

/**
 * Lists the entries of a directory whose names are numbers, such as the threads in `task`, in
 * ascending order.
 *
 * @param procfs   the process
 * @param name     path of the directory, relative to the directory of the process
 * @param numbers  receives the array; the caller frees it
 * @param count    receives the number of entries
 * @return         0, or -1 with errno set
 */
int pm_procfs_list_numbers(const struct pm_procfs *procfs, const char *name, pid_t **numbers,
                           size_t *count);

#endif
