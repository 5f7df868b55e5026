/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Compares mappings and descriptors of a process with the identity of a file. Links and names are
 * read only if the inode numbers are equal. Private.
 */
#ifndef PM_FILES_FILE_MATCH_H
#define PM_FILES_FILE_MATCH_H

#include "files/file.h"

/** Whether a mapping or a descriptor is that of a file. */
enum pm_file_match {
	PM_FILE_MATCH_NO = 0,  /**< it is another file */
	PM_FILE_MATCH_YES,     /**< the devices and inode numbers are equal */
	PM_FILE_MATCH_BY_NAME, /**< the names and inode numbers are equal, the devices not known */
};

/** A process whose mappings and descriptors are compared. */
struct pm_file_match_process {
	struct pm_procfs procfs; /**< its directory */
	uint64_t ipc_namespace;  /**< inode number of its IPC namespace; 0 until it is needed */
};

/**
 * Compares a mapping with a file that has the same inode number.
 *
 * @param process  the process
 * @param file     the file
 * @param region   a region of the process, as parsed from maps
 * @return         the result
 */
enum pm_file_match pm_file_match_region(struct pm_file_match_process *process,
                                        const struct pm_file *file, const struct pm_region *region);

/**
 * Compares a descriptor with a file that has the same inode number.
 *
 * @param process  the process
 * @param file     the file
 * @param link     the descriptor, such as "fd/3", below the directory of the process
 * @param number   the numbers of the file that is open
 * @return         the result
 */
enum pm_file_match pm_file_match_descriptor(struct pm_file_match_process *process,
                                            const struct pm_file *file, const char *link,
                                            const struct pm_file_number *number);

#endif
