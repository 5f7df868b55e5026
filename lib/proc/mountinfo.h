/* SPDX-License-Identifier: MIT */
/** @file Mounted file systems, from /proc/self/mountinfo (proc_pid_mountinfo(5)). Private. */
#ifndef PM_PROC_MOUNTINFO_H
#define PM_PROC_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** One mount. The texts are parts of the parsed line, with escapes like `\040` decoded. */
struct pm_mount {
	uint64_t id;         /**< mount ID; a mount of another mount namespace has another ID */
	uint64_t device;     /**< device of the file system, as stat.st_dev (makedev(3)) */
	const char *root;    /**< directory within the file system that is mounted */
	const char *point;   /**< mount point, relative to the root directory of this process */
	const char *type;    /**< type of the file system: "proc", "cgroup2" */
	const char *options; /**< options of the file system, separated by commas */
};

/**
 * Parses a line of mountinfo.
 *
 * @param line   the line, NUL-terminated, without newline; is modified
 * @param mount  receives the mount, whose texts are parts of `line`
 * @return       false if the line has another format
 */
bool pm_mount_parse(char *line, struct pm_mount *mount);

/**
 * Finds the value of a mount option.
 *
 * @param mount   the mount
 * @param name    name of the option
 * @param length  receives the length of the value in bytes, 0 for an option without value
 * @return        start of the value, not NUL-terminated; NULL if the mount lacks the option
 */
const char *pm_mount_option(const struct pm_mount *mount, const char *name, size_t *length);

/**
 * Called for each mount, in the order of the file. If two mounts have the same mount point, the
 * later one is on top.
 *
 * @param context  the `context` that was passed to pm_mounts_visit()
 * @param mount    valid during the call
 * @param error    to be filled on failure
 * @return         0 to continue, -1 to end with a filled error
 */
typedef int pm_mount_visitor(void *context, const struct pm_mount *mount, struct pm_error *error);

/**
 * Visits all mounts that the calling process sees (proc_pid_mountinfo(5)).
 *
 * @param proc_root  directory to use as /proc; a saved tree without `self/mountinfo` has no mounts
 * @param visit      called for each mount
 * @param context    passed to `visit`
 * @param error      PM_ERROR_IO, PM_ERROR_GONE, PM_ERROR_FORMAT, PM_ERROR_RESOURCES, or the error
 *                   of `visit`
 * @return           0 or -1
 */
int pm_mounts_visit(const char *proc_root, pm_mount_visitor *visit, void *context,
                    struct pm_error *error);

/**
 * Visits all mounts of an open mountinfo file, such as that of another process, which shows its
 * mount namespace.
 *
 * @param fd       descriptor of the file; not closed
 * @param visit    called for each mount
 * @param context  passed to `visit`
 * @param error    PM_ERROR_IO, PM_ERROR_GONE, PM_ERROR_FORMAT, PM_ERROR_RESOURCES, or the error of
 *                 `visit`
 * @return         0 or -1
 */
int pm_mounts_visit_file(int fd, pm_mount_visitor *visit, void *context, struct pm_error *error);

#endif
