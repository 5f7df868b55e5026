/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reading a long file in a second thread. The kernel creates the text of smaps while the file is
 * read, a page per read(2), which takes 0.15 s for 60,000 regions. With a second thread, the text
 * is parsed concurrently. Private.
 */
#ifndef PM_BASE_READ_AHEAD_H
#define PM_BASE_READ_AHEAD_H

#include <stddef.h>
#include <sys/types.h>

struct pm_read_ahead;

/**
 * Starts reading.
 *
 * @param fd       descriptor of a regular file (files of /proc are regular); remains owned by the
 *                 caller
 * @param at_once  maximum size of a read(2) in bytes
 * @return         NULL if the file is not regular or no thread can be created; the caller must then
 *                 read the file directly
 */
struct pm_read_ahead *pm_read_ahead_start(int fd, size_t at_once);

/**
 * Returns the next bytes of the file, as read(2) does.
 * @return number of bytes, 0 at the end of the file, or -1 with errno set
 */
ssize_t pm_read_ahead_next(struct pm_read_ahead *ahead, void *buffer, size_t size);

/**
 * Stops the thread, even in the middle of the file, and releases all memory.
 * @param ahead  may be NULL
 */
void pm_read_ahead_stop(struct pm_read_ahead *ahead);

#endif
