/* SPDX-License-Identifier: MIT */
/** @file The limit on the number of threads of a user, RLIMIT_NPROC. Private. */
#ifndef PM_LIMITS_USER_THREADS_H
#define PM_LIMITS_USER_THREADS_H

#include <procmem/headroom.h>

/**
 * Adds RLIMIT_NPROC of a process. The used part is the number of threads of all processes that have
 * the same real user ID. Adds nothing if the process has no such limit, or if the files of the
 * process or the list of processes cannot be read.
 *
 * The kernel does not enforce the limit for root and for processes with CAP_SYS_RESOURCE or
 * CAP_SYS_ADMIN in the first user namespace. For them, `exempt` of the limit is set, and the
 * processes are not counted: `used` is 0.
 *
 * @param process   the process
 * @param headroom  receives the limit
 * @param error     PM_ERROR_GONE
 * @return          0 or -1
 */
int pm_gather_user_threads(struct pm_process *process, struct pm_headroom *headroom,
                           struct pm_error *error);

#endif
