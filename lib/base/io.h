/* SPDX-License-Identifier: MIT */
/** @file Reading descriptors: with EINTR, at addresses, and small files whole. Private. */
#ifndef PM_BASE_IO_H
#define PM_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>

/**
 * Whether a call failed for a lack of our own, of memory or descriptors: that says nothing of what
 * was looked at.
 * @param cause errno
 */
bool pm_errno_is_ours(int cause);

/**
 * read(2) that goes on after EINTR.
 * @return as read(2)
 */
ssize_t pm_read(int fd, void *buffer, size_t size);

/**
 * pread(2) that goes on after EINTR; the offset is an address. Above 2^63 the kernel answers
 * EINVAL.
 * @return as pread(2)
 */
ssize_t pm_pread(int fd, void *buffer, size_t size, uint64_t offset);

/**
 * Reads a file to its end.
 *
 * @param fd      descriptor
 * @param max     most bytes to keep; more is PM_ERROR_FORMAT
 * @param text    where to store the bytes, with a NUL behind; the caller frees it
 * @param length  where to store how many, without the NUL; may be NULL
 * @param error   PM_ERROR_GONE (ESRCH: the process ended), PM_ERROR_IO, PM_ERROR_FORMAT,
 * PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_read_all(int fd, size_t max, char **text, size_t *length, struct pm_error *error);

/**
 * Fills an error from errno after a failed read: ESRCH is PM_ERROR_GONE, all else PM_ERROR_IO.
 * @return -1
 */
int pm_read_failed(struct pm_error *error);

#endif
