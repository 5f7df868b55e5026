/* SPDX-License-Identifier: MIT */
/** @file The files in tmpfs and the shared memory of a cgroup. */
#ifndef CMD_CGROUP_FILES_H
#define CMD_CGROUP_FILES_H

#include "cgroup/cgroup.h"

/**
 * Reads the files in tmpfs for the first time, before the cgroup is watched. A failure is stored in
 * the report.
 *
 * @param report  the report, with levels and members
 * @param error   PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int cgroup_files_start(struct cgroup_report *report, struct pm_error *error);

/**
 * Reads the files in tmpfs and the shared memory, and compares them with those of the start.
 *
 * @param report  the report, with levels and members; receives the files
 * @param error   PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int cgroup_files_read(struct cgroup_report *report, struct pm_error *error);

/**
 * Prints them.
 *
 * @param report  the results
 * @param out     receives the text
 */
void cgroup_files_print(const struct cgroup_report *report, struct out *out);

/**
 * Adds up the rates of the rows of a mount.
 *
 * @param files  the files
 * @param mount  index of the mount
 * @return       bytes per second; 0 if the rate of one of the rows is not known
 */
double cgroup_files_mount_rate(const struct cgroup_files *files, size_t mount);

/**
 * Returns why a mount could not be opened.
 * @param cause  as in struct pm_tmpfs_mount, not 0
 */
const char *cgroup_files_mount_cause(int cause);

/**
 * Releases the files.
 * @param files  the files, or zeroed
 */
void cgroup_files_deinit(struct cgroup_files *files);

#endif
