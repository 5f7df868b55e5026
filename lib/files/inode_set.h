/* SPDX-License-Identifier: MIT */
/** @file A set of files, each given by its device and inode number. Private. */
#ifndef PM_FILES_INODE_SET_H
#define PM_FILES_INODE_SET_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** A file. A device is never 0, so that a zeroed key is a free place. */
struct pm_inode_key {
	uint64_t device; /**< stat.st_dev */
	uint64_t inode;  /**< stat.st_ino */
};

/** The set: a hash table with open addressing. Zeroed before the first use. */
struct pm_inode_set {
	struct pm_inode_key *keys; /**< owned */
	size_t *values;            /**< a number for each key; owned */
	size_t capacity;           /**< number of places, a power of two, or 0 */
	size_t count;              /**< number of files */
	uint64_t seed;             /**< of the hash */
};

/**
 * Adds a file, unless the set has it.
 *
 * @param set    the set
 * @param key    the file; its device is not 0
 * @param value  number to store with the file
 * @param error  PM_ERROR_RESOURCES
 * @return       1 if the file was added, 0 if the set already has it, -1 on error
 */
int pm_inode_set_add(struct pm_inode_set *set, struct pm_inode_key key, size_t value,
                     struct pm_error *error);

/**
 * Finds a file.
 *
 * @param set  the set
 * @param key  the file
 * @return     the number stored with the file; SIZE_MAX if the set does not have it
 */
size_t pm_inode_set_find(const struct pm_inode_set *set, struct pm_inode_key key);

/** Releases a set, which is empty afterwards. */
void pm_inode_set_deinit(struct pm_inode_set *set);

#endif
