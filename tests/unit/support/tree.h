/* SPDX-License-Identifier: MIT */
/**
 * @file Directory trees that replace /proc or /sys in a test. A failure fails the running cmocka
 * test.
 */
#ifndef TESTS_SUPPORT_TREE_H
#define TESTS_SUPPORT_TREE_H

#include <sys/types.h>

#include <procmem/process.h>

/**
 * Creates an empty folder.
 * @return its path; release with tree_remove()
 */
char *tree_create(void);

/**
 * Removes a folder with its content.
 * @param root  as tree_create() returned it, or NULL
 */
void tree_remove(char *root);

/**
 * Writes a file of a tree, and creates its parent folders.
 * @param root    the tree
 * @param path    of the file, relative to the tree
 * @param format  printf format of its text
 */
void tree_write(const char *root, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * Writes the files that a process must have: its stat and its status.
 *
 * @param root    a tree with `proc` instead of /proc
 * @param pid     of the process
 * @param name    its name
 * @param status  further lines of status, as format of printf
 */
void tree_add_process(const char *root, pid_t pid, const char *name, const char *status, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * Opens a process of a tree.
 *
 * @param root  a tree with `proc` instead of /proc, and `sys` instead of /sys
 * @param pid   of the process
 * @param sys   receives the path of `sys`; the caller frees it
 * @return      the process; close with pm_process_close()
 */
struct pm_process *tree_open_process(const char *root, pid_t pid, char **sys);

/** Creates a symbolic link in a tree, and its parent folders. */
void tree_link(const char *root, const char *path, const char *target);

#endif
