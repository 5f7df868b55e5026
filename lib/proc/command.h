/* SPDX-License-Identifier: MIT */
/**
 * @file Names and command lines as the kernel gives them; all bytes but NUL may occur in them.
 * Private.
 */
#ifndef PM_PROC_COMMAND_H
#define PM_PROC_COMMAND_H

#include <stddef.h>

#include "proc/procfs.h"

/**
 * Reads a comm file: the name without the newline that the kernel puts behind it.
 *
 * @param procfs  the process
 * @param name    "comm" or "task/TID/comm"
 * @param comm    PM_COMM_SIZE bytes; untouched on failure
 * @return        0, or -1 with errno set
 */
int pm_comm_read(const struct pm_procfs *procfs, const char *name, char *comm);

/**
 * Most bytes that a command line can have: execve(2) allows 6 MiB for arguments and environment,
 * whatever the limit of the stack is.
 */
enum { PM_COMMAND_MAX = 8 << 20 };

/**
 * Reads `cmdline`: arguments, each with its NUL.
 * @param text the caller frees it
 * @param length its bytes
 * @return 0, -1: errno
 */
int pm_command_read(const struct pm_procfs *procfs, char **text, size_t *length);

/**
 * Joins the arguments of a cmdline text by one blank each, in place. Empty ones at the end are
 * dropped: programs that change their title leave many.
 *
 * @param text    the arguments, each with its NUL
 * @param length  bytes of the text; one NUL more stands behind it
 */
void pm_command_join(char *text, size_t length);

#endif
