/* SPDX-License-Identifier: MIT */
/** @file Our own processes: this one, and ancestors that only run it. Private. */
#ifndef PM_PROC_SELF_H
#define PM_PROC_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Maximum number of ancestors that only run one program: sudo, its monitor, timeout, a shell, and
 * many more. */
enum { PM_SELF_MAX = 32 };

/** Processes that match no name: their command lines contain the name because ours does. */
struct pm_self {
	pid_t pids[PM_SELF_MAX]; /**< the first is this process */
	size_t count;            /**< number of processes */
};

/**
 * Finds our own processes: this process, and each ancestor whose command line names our program
 * (`sh -c 'procmem map redis'`, sudo, timeout). The command line of an interactive shell does not
 * name it: such a shell is a process like others.
 *
 * @param own  filled
 */
void pm_self_read(struct pm_self *own);

/** Tests whether a process is one of our own. */
bool pm_self_has(const struct pm_self *own, pid_t pid);

/**
 * Tests whether a command line names a program, alone or as the end of a path.
 *
 * @param command  arguments, each with its NUL
 * @param length   length of the arguments in bytes
 * @param program  base name of the program
 */
bool pm_command_names(const char *command, size_t length, const char *program);

#endif
