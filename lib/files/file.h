/* SPDX-License-Identifier: MIT */
/** @file Names that the kernel gives to shared memory, and devices of opened files. Private. */
#ifndef PM_FILES_FILE_H
#define PM_FILES_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <procmem/file.h>

#include "proc/procfs.h"

/** The device and the inode number of a file, as stat(2) returns them. */
struct pm_file_number {
	uint64_t device; /**< st_dev */
	uint64_t inode;  /**< st_ino */
};

/**
 * Tests whether a name is that of a System V segment, `/SYSV` and the key as 8 hexadecimal digits
 * (ipc/shm.c). Such a segment is the only memory in the kernel's own tmpfs whose inode number is
 * chosen by another part of the kernel, so that memory of another type can have the same number.
 *
 * @param name  a name of maps or of a link in /proc/PID/fd, with or without " (deleted)"
 * @return         true or false
 */
bool pm_file_name_is_sysv(const char *name);

/**
 * Returns what a name of the kernel says about the type.
 *
 * @param name     as in maps or in a link in /proc/PID/fd
 * @param deleted  whether " (deleted)" follows the name or has followed it
 * @return         PM_FILE_REGULAR if it says nothing
 */
enum pm_file_type pm_file_type_of_name(const char *name, bool deleted);

/**
 * Calls statx(2) without waiting for a server: a file system in the network returns what it knows
 * already.
 *
 * @param directory  descriptor of a directory
 * @param name       name in it; a symbolic link is followed
 * @param flags      further flags of statx(2), such as AT_EMPTY_PATH
 * @param status     receives the basic status and, since Linux 5.8, the mount ID
 * @return           0, or -1 with errno set
 */
int pm_file_status_read(int directory, const char *name, int flags, struct statx *status);

/**
 * Reads a link in /proc to an open or mapped file.
 *
 * @param directory  descriptor of a directory
 * @param link       name of the link in it
 * @param name       receives the name, NUL-terminated; "" if it has PATH_MAX bytes or more, which
 *                   the kernel does not return
 * @return           0, or -1 with errno set
 */
int pm_file_link_read(int directory, const char *link, char name[static PATH_MAX]);

/**
 * Reads the numbers of a file with pm_file_status_read().
 *
 * @param directory  descriptor of a directory
 * @param name       name in it; a symbolic link is followed
 * @param number     receives the numbers
 * @return           0, or -1 with errno set
 */
int pm_file_number_read(int directory, const char *name, struct pm_file_number *number);

/**
 * Reads the numbers of a mapped file through the link in map_files.
 *
 * @param procfs  the process
 * @param region  start and end are used
 * @param number  receives the numbers
 * @return        0, or -1 with errno set: EPERM without CAP_SYS_ADMIN and CAP_CHECKPOINT_RESTORE,
 *                ENOENT if the mapping was changed
 */
int pm_file_number_of_region(const struct pm_procfs *procfs, const struct pm_region *region,
                             struct pm_file_number *number);

/**
 * Reads the inode number of the IPC namespace of a process.
 *
 * @param procfs  the process
 * @return        the number; 0 if it may not be read
 */
uint64_t pm_file_ipc_namespace(const struct pm_procfs *procfs);

#endif
