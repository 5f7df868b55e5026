/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reading a long file in a second thread. The kernel creates the text of smaps while the file is
 * read, about a page for each read(2). For 60,000 regions this takes 0.15 s. While the second
 * thread reads, the caller can parse the bytes that were read before. Private.
 */
#ifndef PM_BASE_READ_AHEAD_H
#define PM_BASE_READ_AHEAD_H

#include <stddef.h>
#include <sys/types.h>

struct pm_read_ahead;

/**
 * Starts a thread that reads a file from the current offset to its end.
 *
 * @param fd       descriptor of a regular file (files of /proc are regular); remains owned by the
 *                 caller
 * @param at_once  maximum size of a read(2) in bytes
 * @return         a handle, to be released with pm_read_ahead_stop(); NULL if the file is not
 *                 regular, or if memory or the thread cannot be allocated. In this case the caller
 *                 must read the file directly
 */
struct pm_read_ahead *pm_read_ahead_start(int fd, size_t at_once);

/**
 * Returns the next bytes of the file, as read(2) does.
 * @return number of bytes, 0 at the end of the file, or -1 with errno set
 */
ssize_t pm_read_ahead_next(struct pm_read_ahead *ahead, void *buffer, size_t size);

/**
 * Stops the thread, even if it has not reached the end of the file, and releases all memory.
 * @param ahead  the handle; may be NULL
 */
void pm_read_ahead_stop(struct pm_read_ahead *ahead);

#endif
