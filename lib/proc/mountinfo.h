/* SPDX-License-Identifier: MIT */
/** @file Mounted file systems: /proc/self/mountinfo, proc_pid_mountinfo(5). Private. */
#ifndef PM_PROC_MOUNTINFO_H
#define PM_PROC_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

/** One mount. The texts are borrowed from the line that was parsed, escapes like `\040` undone. */
struct pm_mount {
	const char *root;    /**< which directory of the file system stands at the mount point */
	const char *point;   /**< the mount point, as we see it */
	const char *type;    /**< name of the file system: "proc", "cgroup2" */
	const char *options; /**< options of the file system itself, separated by commas */
};

/**
 * Parses a line.
 * @param line NUL-terminated, without newline; is changed
 * @param mount filled
 * @return false where it is no such line
 */
bool pm_mount_parse(char *line, struct pm_mount *mount);

/**
 * Value of an option, "" for one without.
 * @param length where to store its length
 * @return NULL where the mount lacks the option
 */
const char *pm_mount_option(const struct pm_mount *mount, const char *name, size_t *length);

/**
 * Called for each mount, in the order of the file: of two with one mount point the later one is on
 * top.
 *
 * @param context  as given to pm_mounts_visit()
 * @param mount    valid during the call
 * @return         0 to go on, -1 to end with an error that was filled
 */
typedef int pm_mount_visitor(void *context, const struct pm_mount *mount, struct pm_error *error);

/**
 * Visits the mounts that our own process sees.
 *
 * @param proc_root  directory that stands for /proc; a saved tree without `self/mountinfo` has no
 * mounts
 * @param visit      called for each
 * @param context    handed to it
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_mounts_visit(const char *proc_root, pm_mount_visitor *visit, void *context,
                    struct pm_error *error);

#endif
