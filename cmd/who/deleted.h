/* SPDX-License-Identifier: MIT */
/** @file Files that were deleted, but that a process still holds or maps. */
#ifndef CMD_WHO_DELETED_H
#define CMD_WHO_DELETED_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** The place of a deleted file in a process that uses it. */
struct who_deleted {
	char link[64];     /**< link to its descriptor, such as "/proc/4711/fd/3"; "" if it is only
	                        mapped */
	char target[16];   /**< PID of a process that uses it */
	uint64_t address;  /**< where it is mapped; 0 with `link` */
	size_t others;     /**< number of further deleted files that had the same path */
	size_t unreadable; /**< number of processes that could not be examined */
};

/**
 * Searches the descriptors and mappings of all processes for a deleted file that had a path. Of
 * several such files, finds the one with the most allocated bytes.
 *
 * @param path   the path, at which there is no file now
 * @param found  filled
 * @param error  PM_ERROR_NOT_FOUND if no process uses such a file, PM_ERROR_CANCELLED after a
 *               signal, and the errors of pm_process_list_read()
 * @return       0 or -1
 */
int who_deleted_find(const char *path, struct who_deleted *found, struct pm_error *error);

#endif
