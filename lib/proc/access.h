/* SPDX-License-Identifier: MIT */
/** @file Why the kernel refused, and what helps. Private. */
#ifndef PM_PROC_ACCESS_H
#define PM_PROC_ACCESS_H

#include <sys/types.h>

#include <procmem/error.h>

/**
 * Turns a refused or failed access to a process into the sentence that a person needs: which rule
 * refused (other user, not dumpable, Yama ptrace_scope=N, no CAP_SYS_PTRACE in the target's user
 * namespace, already traced by PID n, kernel thread, zombie, hidepid, gone) and the fix. The rule
 * is found out afterwards from /proc/PID/status, the owner of that file, our own capabilities and
 * sysctl files; where nothing fits it says so and quotes the errno.
 *
 * @param proc_root  directory that stands for /proc
 * @param pid        the process
 * @param doing      what was refused, as it completes "cannot ...": "read its maps", "attach to it"
 * @param os_errno   errno of the refused call; 0 where the call worked but gave nothing (maps of a
 * process without memory)
 * @param error      filled: PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_NOT_FOUND or
 * PM_ERROR_NO_MEMORY, for other errno values PM_ERROR_RESOURCES, PM_ERROR_UNSUPPORTED or
 * PM_ERROR_IO; its pid is set
 * @return           always -1
 */
int pm_access_explain(const char *proc_root, pid_t pid, const char *doing, int os_errno,
                      struct pm_error *error);

#endif
