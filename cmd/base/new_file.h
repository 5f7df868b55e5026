/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A file that appears whole or not at all: written without a name (O_TMPFILE of open(2)), or where
 * the file system cannot do that under a temporary name beside it, and named in the end. Mode 0600.
 */
#ifndef CMD_BASE_NEW_FILE_H
#define CMD_BASE_NEW_FILE_H

#include <stdbool.h>

#include <procmem/error.h>

/** A file being written. */
struct new_file {
	char *path;      /**< the name that it is to have; owned */
	char *temporary; /**< its name meanwhile, NULL for what exists and is no regular file:
	                    written to directly; owned */
	bool nameless;   /**< it has no name yet, also not that */
	int fd;          /**< open for writing, -1 for closed */
	bool only_new;   /**< whether nothing may have the name when it gets it; false unless set by
	                    the user before new_file_keep() */
};

/**
 * Starts one. A symbolic link is refused, unless it is the system's name of a descriptor that we
 * were started with, as /dev/stdout.
 *
 * @param file   filled
 * @param path   its name
 * @param error  PM_ERROR_IO
 * @return       0 or -1
 */
int new_file_open(struct new_file *file, const char *path, struct pm_error *error);

/**
 * Gives it its name.
 * @param file released in any case
 * @param error PM_ERROR_IO; then it is removed
 * @return 0 or -1
 */
int new_file_keep(struct new_file *file, struct pm_error *error);

/**
 * Removes it.
 * @param file released; harmless on one that was kept
 */
void new_file_drop(struct new_file *file);

#endif
