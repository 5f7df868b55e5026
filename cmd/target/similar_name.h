/* SPDX-License-Identifier: MIT */
/**
 * @file Names of files that differ only in numbers, such as /srv/seg1.idx and /srv/seg27.idx, the
 * pattern that they share, such as /srv/seg#.idx, and a tree to find all of them.
 */
#ifndef CMD_TARGET_SIMILAR_NAME_H
#define CMD_TARGET_SIMILAR_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/** The names that were added. A zeroed struct has no name. */
struct similar_name {
	char *first;    /**< the first name; owned; NULL if there is none */
	bool varied;    /**< different names were added */
	size_t prefix;  /**< bytes of `first` with which all names start, up to the end of a word */
	size_t suffix;  /**< bytes of `first` with which all names end, from the start of a word */
	bool unrelated; /**< the names differ not only in numbers */
};

/**
 * Finds the object of all file names that differ only in numbers. The caller stores the object when
 * the first of these names is looked up. The time is O(log n) for n objects.
 *
 * @param tree  the root of a tree; NULL at first; release with similar_name_free_tree()
 * @param name  the name of a mapping
 * @param set   any number; the same name has a different object for each number
 * @return      the pointer to the object, which is NULL at first; valid until the tree is released.
 *              NULL if the name is not that of a file, or has no number
 */
void **similar_name_find(void **tree, const char *name, uint64_t set);

/**
 * Releases a tree. The objects are not released.
 * @param tree  the root, or NULL
 */
void similar_name_free_tree(void *tree);

/**
 * Adds a name.
 * @param names  the names
 * @param name   a name for which similar_name_find() does not return NULL
 */
void similar_name_add(struct similar_name *names, const char *name);

/**
 * Adds the pattern of the names: their common text, with `#` in place of each number that is not
 * the same in all names. If there is only one name, the pattern is that name.
 * @param names  the names, at least one
 * @param text   receives the pattern
 */
void similar_name_pattern(const struct similar_name *names, struct text *text);

/**
 * Adds the number of different names, such as " (32 files)".
 * @param files  the number
 * @param text   receives the words
 */
void similar_name_count(size_t files, struct text *text);

/**
 * Releases names.
 * @param names the names; zeroed afterwards
 */
void similar_name_deinit(struct similar_name *names);

#endif
