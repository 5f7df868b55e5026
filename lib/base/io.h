/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reading from descriptors: calls of read(2) that are repeated after EINTR, and reading a file to
 * its end. Private.
 */
#ifndef PM_BASE_IO_H
#define PM_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>

/**
 * Tests whether a call failed because this process or the system lacks memory or descriptors. Such
 * a failure proves nothing about the target.
 * @param cause  errno of the call
 * @return       true for ENOMEM, EMFILE and ENFILE
 */
bool pm_errno_is_ours(int cause);

/**
 * Opens a file for reading if the path names a regular file. Any other file is not opened, because
 * to open a pipe and close it again has effects: the writer can lose its reader.
 * @param path  the path; symbolic links are followed
 * @return      a descriptor, or -1
 */
int pm_open_regular(const char *path);

/**
 * Calls read(2), and repeats the call after EINTR.
 * @return as read(2)
 */
ssize_t pm_read(int fd, void *buffer, size_t size);

/**
 * Calls pread(2) with an address as the offset, and repeats the call after EINTR. For offsets from
 * 2^63 on, the kernel returns EINVAL.
 * @return as pread(2)
 */
ssize_t pm_pread(int fd, void *buffer, size_t size, uint64_t offset);

/**
 * Reads a file to its end.
 *
 * @param fd      descriptor of the file; not closed
 * @param max     maximum length in bytes; for a longer file, fails with PM_ERROR_FORMAT
 * @param text    receives the bytes, followed by a NUL; the caller frees the buffer
 * @param length  receives the length in bytes, without the NUL; may be NULL
 * @param error   PM_ERROR_GONE if read(2) returned ESRCH because the process ended, PM_ERROR_IO,
 *                PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_read_all(int fd, size_t max, char **text, size_t *length, struct pm_error *error);

/**
 * Fills an error from errno after a failed read: PM_ERROR_GONE if errno is ESRCH, otherwise
 * PM_ERROR_IO.
 * @return -1
 */
int pm_read_failed(struct pm_error *error);

#endif
