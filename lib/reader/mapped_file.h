/* SPDX-License-Identifier: MIT */
/** @file Opening the files that a process has mapped. Private. */
#ifndef PM_READER_MAPPED_FILE_H
#define PM_READER_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>

/**
 * Opens the regular file (or shared memory object) that is mapped in a region. Other types of files
 * are refused, since opening a device or a FIFO could have side effects.
 *
 * @param process  the living process
 * @param region   a region of the process that maps a file (its inode is not 0)
 * @param fd       receives a descriptor for reading; the caller closes it
 * @param error    PM_ERROR_NOT_FOUND, PM_ERROR_ACCESS, PM_ERROR_RESOURCES; the text can be appended
 *                 to "unreadable: "
 * @return         0 or -1
 */
int pm_mapped_file_open(struct pm_process *process, const struct pm_region *region, int *fd,
                        struct pm_error *error);

/**
 * Reads the length of the regular file (or shared memory object) that is mapped in a region. The
 * file is not opened for reading. The length of a file on a network file system is the one that
 * this machine knows: its server is not asked.
 *
 * @param process  the living process
 * @param region   a region of the process that maps a file (its inode is not 0)
 * @param length   receives the length in bytes; unchanged if the function returns false
 * @return         false if the file is not found, or if it is not a regular file
 */
bool pm_mapped_file_length(struct pm_process *process, const struct pm_region *region,
                           uint64_t *length);

/**
 * Opens the file of an O_PATH descriptor for reading, if it is a regular file and not empty. Files
 * of proc(5) and tracefs have size 0. Such files are refused because reading some of them has side
 * effects: for example, reading /proc/kmsg removes messages of the kernel.
 * @param path_fd  the O_PATH descriptor; this function closes it in any case
 * @return         a descriptor for reading, or -1 with errno set
 */
int pm_regular_file_open(int path_fd);

#endif
