/* SPDX-License-Identifier: MIT */
/** @file Finds the cgroup that a PATH refers to. */
#ifndef CMD_CGROUP_PATH_H
#define CMD_CGROUP_PATH_H

#include <procmem/cgroup_levels.h>

/**
 * Reads a cgroup and its ancestors.
 *
 * @param word    the directory of a cgroup, or the path of a cgroup, as in /proc/PID/cgroup
 * @param levels  receives the levels; release with pm_cgroup_levels_deinit()
 * @param error   as for pm_cgroup_levels_read_folder()
 * @return        0 or -1
 */
int cgroup_path_read(const char *word, struct pm_cgroup_levels *levels, struct pm_error *error);

#endif
