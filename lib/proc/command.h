/* SPDX-License-Identifier: MIT */
/**
 * @file Names and command lines of processes, which may contain any byte but NUL. Private.
 */
#ifndef PM_PROC_COMMAND_H
#define PM_PROC_COMMAND_H

#include <stddef.h>

#include "proc/procfs.h"

/**
 * Reads a command name from a comm file, without the newline that the kernel appends.
 *
 * @param procfs  the process
 * @param name    "comm" or "task/TID/comm"
 * @param comm    buffer of PM_COMM_SIZE bytes; unchanged on failure
 * @return        0, or -1 with errno set
 */
int pm_comm_read(const struct pm_procfs *procfs, const char *name, char *comm);

/**
 * Maximum length of a command line in bytes. execve(2) allows at most 6 MiB for arguments and
 * environment, even if the limit of the stack size (RLIMIT_STACK) is higher.
 */
enum { PM_COMMAND_MAX = 8 << 20 };

/**
 * Reads the arguments from `cmdline`, each followed by a NUL.
 *
 * @param procfs  the process
 * @param text    receives the arguments, which the caller frees
 * @param length  receives the length in bytes
 * @return        0, or -1 with errno set
 */
int pm_command_read(const struct pm_procfs *procfs, char **text, size_t *length);

/**
 * Replaces the NUL between two arguments of a cmdline text by a space, in place. Empty arguments at
 * the end are dropped, because a program that changes its title leaves many empty arguments.
 * @param text    the arguments, each followed by a NUL, and one more NUL; becomes one text that
 *                ends in a NUL
 * @param length  length of the arguments in bytes, without the additional NUL
 */
void pm_command_join(char *text, size_t length);

#endif
