/* SPDX-License-Identifier: MIT */
/** @file Reads the files of a cgroup. Private. */
#ifndef PM_LIMITS_CGROUP_FILE_H
#define PM_LIMITS_CGROUP_FILE_H

#include "limits/hierarchy.h"

/**
 * Finds the number after a key in a text of lines `KEY NUMBER`, such as memory.stat.
 *
 * @param text    the text
 * @param key     the key
 * @param number  receives the number
 * @return        true; false if no line begins with the key, or if no number follows the key
 */
bool pm_cgroup_entry(const char *text, const char *key, uint64_t *number);

/**
 * Moves to the parent cgroup.
 *
 * @param hierarchy  receives the parent cgroup: the last component of `group` is removed; unchanged
 *                   if there is no parent
 * @return           true; false if there is no parent, or if the parent does not account for the
 *                   memory of the cgroup
 */
bool pm_cgroup_go_up(struct pm_hierarchy *hierarchy);

/** Returns whether the number in a limit file means "unlimited". */
bool pm_cgroup_is_unlimited(const struct pm_hierarchy *hierarchy, uint64_t number);

/**
 * Copies the path of the cgroup below the mount point, or "/" for the root cgroup. If the path is
 * too long, "..." and the end of the path are copied.
 *
 * @param hierarchy  the cgroup
 * @param copy       receives the path
 * @param size       bytes of `copy`
 */
void pm_cgroup_name(const struct pm_hierarchy *hierarchy, char *copy, size_t size);

/**
 * Reads the number in a file of the cgroup. The word "max" in the file is returned as UINT64_MAX.
 *
 * @param hierarchy  the cgroup
 * @param name       name of the file
 * @param number     receives the number
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           1; 0 if the file does not exist, is not accessible, or contains no number; -1
 *                   on error
 */
int pm_cgroup_number(const struct pm_hierarchy *hierarchy, const char *name, uint64_t *number,
                     struct pm_error *error);

/**
 * Reads a file of the cgroup.
 *
 * @param hierarchy  the cgroup
 * @param name       name of the file
 * @param text       receives the contents of the file, followed by a NUL; the caller frees it
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           1; 0 if the file does not exist or is not accessible; -1 on error
 */
int pm_cgroup_text(const struct pm_hierarchy *hierarchy, const char *name, char **text,
                   struct pm_error *error);

#endif
