/* SPDX-License-Identifier: MIT */
/** @file Which processes are our own: this one, and those that only run it. Private. */
#ifndef PM_PROC_SELF_H
#define PM_PROC_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Most processes that stand one above the other to run one program: sudo, its monitor, timeout, a
 * shell, and many more. */
enum { PM_SELF_MAX = 32 };

/**
 * Processes that nobody means by a name: they have it in their command lines because we were given
 * it.
 */
struct pm_self {
	pid_t pids[PM_SELF_MAX]; /**< the first is this process */
	size_t count;            /**< how many */
};

/**
 * Finds them: this process, and each ancestor whose command line names our program (`sh -c 'procmem
 * map redis'`, sudo, timeout). The shell in which it was typed names nothing; it is a process like
 * others.
 *
 * @param own  filled
 */
void pm_self_read(struct pm_self *own);

/** Whether a process is one of them. */
bool pm_self_has(const struct pm_self *own, pid_t pid);

/**
 * Whether a command line names a program, alone or as the end of a path.
 *
 * @param command  arguments, each with its NUL
 * @param length   bytes of them
 * @param program  base name of the program
 */
bool pm_command_names(const char *command, size_t length, const char *program);

#endif
