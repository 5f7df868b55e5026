/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reading a long file in a thread of its own. The kernel makes the text of smaps while it is read
 * (0.15 s for 60,000 regions, a page per read); with this the parsing goes on beside it. Private.
 */
#ifndef PM_BASE_READ_AHEAD_H
#define PM_BASE_READ_AHEAD_H

#include <stddef.h>
#include <sys/types.h>

struct pm_read_ahead;

/**
 * Starts reading.
 *
 * @param fd       stays the caller's; must be a regular file (also of /proc)
 * @param at_once  most bytes of one read(2)
 * @return         NULL where it is none or no thread can be made: read it directly then
 */
struct pm_read_ahead *pm_read_ahead_start(int fd, size_t at_once);

/**
 * Takes what comes next, as read(2) would.
 * @return bytes, 0 at the end, or -1 with errno set
 */
ssize_t pm_read_ahead_next(struct pm_read_ahead *ahead, void *buffer, size_t size);

/**
 * Ends the thread, also in the middle of the file, and releases everything.
 * @param ahead may be NULL
 */
void pm_read_ahead_stop(struct pm_read_ahead *ahead);

#endif
