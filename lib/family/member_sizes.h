/* SPDX-License-Identifier: MIT */
/** @file Reads the sizes of a member of a family. Private. */
#ifndef PM_FAMILY_MEMBER_SIZES_H
#define PM_FAMILY_MEMBER_SIZES_H

#include <stdbool.h>

#include <procmem/family.h>

#include "proc/process_handle.h"

/**
 * Reads the sizes of a process, from a living thread if the first thread is ending.
 *
 * @param procfs  directory of the process
 * @param stat    the fields of stat
 * @param status  true: read swap and the user from status; false: there is no swap, and the user
 *                stays as it was, if statm can be read
 * @param member  receives `rss` and `swap`, in bytes, and `uid`
 * @return        0, or -1 with errno set
 */
int pm_member_sizes_read(const struct pm_procfs *procfs, const struct pm_process_stat *stat,
                         bool status, struct pm_family_member *member);

#endif
