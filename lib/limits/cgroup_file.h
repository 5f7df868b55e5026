/* SPDX-License-Identifier: MIT */
/** @file FILL cgroup_file.c */
#ifndef PM_LIMITS_CGROUP_FILE_H
#define PM_LIMITS_CGROUP_FILE_H

#include "limits/hierarchy.h"

/**
 * The number behind a key in a text of lines `KEY NUMBER`, such as memory.stat.
 * @return false where there is no such line
 */
bool pm_cgroup_entry(const char *text, const char *key, uint64_t *number);

/**
 * Goes up to the group above.
 * @return false at the top, and where what a group uses does not count above
 */
bool pm_cgroup_go_up(struct pm_hierarchy *hierarchy);

/** Whether a number of a limit file stands for no limit. */
bool pm_cgroup_is_unlimited(const struct pm_hierarchy *hierarchy, uint64_t number);

/**
 * Copies the name of the group; of one that is too long the end.
 * @param copy room for size bytes
 */
void pm_cgroup_name(const struct pm_hierarchy *hierarchy, char *copy, size_t size);

/**
 * Reads the number in a file of the group; "max" is UINT64_MAX.
 * @return 1; 0 where there is no such file or no number in it; -1
 */
int pm_cgroup_number(const struct pm_hierarchy *hierarchy, const char *name, uint64_t *number,
                     struct pm_error *error);

/**
 * Reads a file of the group.
 *
 * @param name  of the file
 * @param text  where to store what is in it, with a NUL behind; the caller frees it
 * @return      1; 0 where there is no such file; -1
 */
int pm_cgroup_text(const struct pm_hierarchy *hierarchy, const char *name, char **text,
                   struct pm_error *error);

#endif
