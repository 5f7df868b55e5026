/* SPDX-License-Identifier: MIT */
/** @file Opening the file behind a mapping. Private. */
#ifndef PM_READER_MAPPED_FILE_H
#define PM_READER_MAPPED_FILE_H

#include <procmem/process.h>
#include <procmem/region.h>

/**
 * Opens the regular file (or shared memory object) that is mapped in a region. Nothing else is ever
 * opened: opening a device or a FIFO could have effects.
 *
 * @param process  the living process
 * @param region   one of its regions, with an inode
 * @param fd       where to store the descriptor, for reading; the caller closes it
 * @param error    PM_ERROR_NOT_FOUND, PM_ERROR_ACCESS, PM_ERROR_RESOURCES; the sentence completes
 * "unreadable: "
 * @return         0 or -1
 */
int pm_mapped_file_open(struct pm_process *process, const struct pm_region *region, int *fd,
                        struct pm_error *error);

/**
 * Opens for reading what an O_PATH descriptor stands for, if that is a regular file with something
 * in it. The descriptor is closed. The files that kernels make up when they are read, of proc(5)
 * and tracefs, have no size: reading some takes from others what they wait for
 * (/proc/kmsg).
 *
 * @param path_fd  the descriptor
 * @return         a descriptor, or -1 with errno set
 */
int pm_regular_file_open(int path_fd);

#endif
