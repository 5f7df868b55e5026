/* SPDX-License-Identifier: MIT */
/**
 * @file Saved trees that stand for /proc or /sys, made for one test. Failures here fail the running
 * cmocka test.
 */
#ifndef TESTS_SUPPORT_TREE_H
#define TESTS_SUPPORT_TREE_H

#include <sys/types.h>

#include <procmem/process.h>

/**
 * Makes an empty folder.
 * @return its path; release with tree_remove()
 */
char *tree_create(void);

/**
 * Removes a folder with all that is in it.
 * @param root as tree_create() gave it, or NULL
 */
void tree_remove(char *root);

/**
 * Writes a file below it, and the folders on the way.
 * @param format printf format of its text
 */
void tree_write(const char *root, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * Writes what a process of a saved machine must have: its stat and its status.
 *
 * @param root    a tree with `proc` instead of /proc
 * @param pid     of the process
 * @param name    its name
 * @param status  further lines of status, as format of printf
 */
void tree_add_process(const char *root, pid_t pid, const char *name, const char *status, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * Opens a process of a saved machine.
 *
 * @param root  a tree with `proc` instead of /proc, and `sys` instead of /sys
 * @param pid   of the process
 * @param sys   where to store the path of the latter; the caller frees it
 * @return      for pm_process_close()
 */
struct pm_process *tree_open_process(const char *root, pid_t pid, char **sys);

/** Makes a symbolic link below it, and the folders on the way. */
void tree_link(const char *root, const char *path, const char *target);

#endif
