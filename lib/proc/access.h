/* SPDX-License-Identifier: MIT */
/** @file Explaining why the kernel refused access to a process, and the remedy. Private. */
#ifndef PM_PROC_ACCESS_H
#define PM_PROC_ACCESS_H

#include <sys/types.h>

#include <procmem/error.h>

/**
 * Explains a refused or failed access to a process. The text names the rule that refused (other
 * user, not dumpable, Yama ptrace_scope=N, no CAP_SYS_PTRACE in the user namespace of the target,
 * already traced by PID n, kernel thread, zombie, hidepid, gone), and the remedy. The rule is
 * determined afterwards from /proc/PID/status, the owner of that file, the capabilities of this
 * process and sysctl files. If no rule applies, the text says so and quotes the errno.
 *
 * @param proc_root  directory to use as /proc
 * @param pid        the process
 * @param doing      the refused action, which completes "cannot ... process PID": "read the maps
 *                   of", "stop"
 * @param os_errno   errno of the refused call; 0 if the call succeeded without a result (maps of a
 *                   process without memory)
 * @param error      filled: PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_NOT_FOUND or
 *                   PM_ERROR_NO_MEMORY, for other errno values PM_ERROR_RESOURCES,
 *                   PM_ERROR_UNSUPPORTED or PM_ERROR_IO; its pid is set
 * @return           always -1
 */
int pm_access_explain(const char *proc_root, pid_t pid, const char *doing, int os_errno,
                      struct pm_error *error);

#endif
