/* SPDX-License-Identifier: MIT */
/** @file Explaining why the kernel refused access to a process, and the remedy. Private. */
#ifndef PM_PROC_ACCESS_H
#define PM_PROC_ACCESS_H

#include <sys/types.h>

#include <procmem/error.h>

/**
 * Explains a refused or failed access to a process. The text contains the reason (other user, not
 * dumpable, Yama ptrace_scope=N, no CAP_SYS_PTRACE in the user namespace of the target, already
 * traced by PID n, kernel thread, zombie, hidepid, gone) and, if there is one, the remedy. The
 * function finds the reason after the refusal, in /proc/PID/status, the owner of that file, the
 * capabilities of this process and sysctl files. If no reason is found, the text contains the
 * description of the errno and the most probable cause.
 *
 * @param proc_root  directory to use as /proc
 * @param pid        the process
 * @param doing      the refused action, as words between "cannot" and "process PID": "read the maps
 *                   of", "stop"
 * @param os_errno   errno of the refused call; 0 if the call succeeded but returned no data, as
 *                   reading maps does for a process without memory
 * @param error      receives the explanation and the PID. The kind is PM_ERROR_ACCESS,
 *                   PM_ERROR_GONE, PM_ERROR_NOT_FOUND or PM_ERROR_NO_MEMORY; for an errno that has
 *                   another cause, PM_ERROR_RESOURCES, PM_ERROR_UNSUPPORTED or PM_ERROR_IO
 * @return           always -1
 */
int pm_access_explain(const char *proc_root, pid_t pid, const char *doing, int os_errno,
                      struct pm_error *error);

#endif
