/* SPDX-License-Identifier: MIT */
/** @file Saved trees that stand for /proc or /sys, made for one test. Failures here fail the running cmocka test. */
#ifndef TESTS_SUPPORT_TREE_H
#define TESTS_SUPPORT_TREE_H

/** Makes an empty folder. @return its path; release with tree_remove() */
char *tree_create(void);

/** Removes a folder with all that is in it. @param root as tree_create() gave it, or NULL */
void tree_remove(char *root);

/** Writes a file below it, and the folders on the way. @param format printf format of its text */
void tree_write(const char *root, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Makes a symbolic link below it, and the folders on the way. */
void tree_link(const char *root, const char *path, const char *target);

#endif
