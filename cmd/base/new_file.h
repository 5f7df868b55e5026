/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A file that appears under its name only when it is complete. Its mode is 0600. If a signal ends
 * the program before the file is complete, an existing file of that name is unchanged.
 */
#ifndef CMD_BASE_NEW_FILE_H
#define CMD_BASE_NEW_FILE_H

#include <stdbool.h>

#include <procmem/error.h>

/** A file being written. */
struct new_file {
	char *path;      /**< the final name; owned */
	char *temporary; /**< the temporary name, or the template from which this name will be made;
	                    NULL if an existing device, pipe or other special file is written
	                    directly; owned */
	bool nameless;   /**< the file was opened with O_TMPFILE and has no name yet, not even a
	                    temporary one */
	int fd;          /**< open for writing, -1 if closed */
	bool only_new;   /**< if true, new_file_keep() fails if the file exists already.
	                    new_file_open() sets this to false; the caller can change it */
};

/**
 * Starts a file. A symbolic link is refused, unless it is the system's name for a descriptor that
 * the program was started with, such as /dev/stdout.
 *
 * @param file   filled; release it with new_file_keep() or new_file_drop()
 * @param path   the final name
 * @param error  PM_ERROR_IO; PM_ERROR_CANCELLED if a signal ended the wait for a reader of a pipe
 * @return       0 or -1
 */
int new_file_open(struct new_file *file, const char *path, struct pm_error *error);

/**
 * Completes a file: gives it its final name, unless an existing special file was written directly.
 *
 * @param file   released in any case
 * @param error  PM_ERROR_IO; on failure, the new file is removed
 * @return       0 or -1
 */
int new_file_keep(struct new_file *file, struct pm_error *error);

/**
 * Closes a file that is not complete, and removes it unless an existing special file was written
 * directly.
 * @param file  released; has no effect after new_file_keep()
 */
void new_file_drop(struct new_file *file);

#endif
