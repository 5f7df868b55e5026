/* SPDX-License-Identifier: MIT */
/** @file The own processes: this process, and the ancestors that only run it. Private. */
#ifndef PM_PROC_SELF_H
#define PM_PROC_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Maximum number of own processes. The ancestors that only run procmem are few: sudo, its monitor,
 * timeout, a shell. */
enum { PM_SELF_MAX = 32 };

/**
 * Processes that are excluded when processes are searched by name. A name that is searched occurs
 * in the command line of such a process only because that line contains the command line of
 * procmem.
 */
struct pm_self {
	pid_t pids[PM_SELF_MAX]; /**< PIDs; the first is that of this process */
	size_t count;            /**< number of processes */
};

/**
 * Finds this process and each ancestor whose command line contains the name of our program (`sh -c
 * 'procmem map redis'`, sudo, timeout). The command line of an interactive shell does not contain
 * the name, so such a shell is not included.
 * @param own  receives the PIDs; at most PM_SELF_MAX are stored
 */
void pm_self_read(struct pm_self *own);

/** Tests whether a process is one of the own processes. */
bool pm_self_has(const struct pm_self *own, pid_t pid);

/**
 * Tests whether a command line contains the name of a program, alone or as the last part of a path.
 *
 * @param command  arguments, each followed by a NUL
 * @param length   length of the arguments in bytes
 * @param program  base name of the program
 * @return         true if the name occurs, not as a part of a longer name or as a directory
 */
bool pm_command_names(const char *command, size_t length, const char *program);

#endif
