/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Opening files of the target for the child process that reads them. Symbolic links cannot lead out
 * of the root directory of the target. Private.
 */
#ifndef PM_STACK_FILES_H
#define PM_STACK_FILES_H

#include <procmem/process.h>
#include <procmem/region.h>

#include "symbols/build_id.h"

/**
 * Opens the root directory of the target. The descriptor is valid after the target has exited.
 * @param process  the target
 * @return         a descriptor, or -1
 */
int pm_stack_files_root(struct pm_process *process);

/**
 * Opens a regular file by its path below the root directory of the target.
 * @param root  of pm_stack_files_root()
 * @param path  absolute path
 * @return      a descriptor, or -1
 */
int pm_stack_files_open(int root, const char *path);

/**
 * Opens the file that a region maps: by map_files, by its name with the same device and inode, or,
 * for the program itself, by /proc/PID/exe.
 * @param process  the target
 * @param region   the region
 * @return         a descriptor, or -1
 */
int pm_stack_files_mapped(struct pm_process *process, const struct pm_region *region);

/**
 * Opens the debug file of a build ID: below the root directory of the target, or, if it is not
 * there, of this system. The caller checks its build ID.
 * @param root  as for pm_stack_files_open()
 * @param id    the build ID
 * @return      a descriptor, or -1
 */
int pm_stack_files_debug(int root, const struct pm_build_id *id);

/**
 * Opens a debug file by the name in .gnu_debuglink. The caller checks that it is the right one.
 * @param root   as for pm_stack_files_open()
 * @param path   path of the program
 * @param name   name of the debug file; must not contain a '/'
 * @param place  where it is searched: 0 beside the program, 1 in .debug/ there, 2 in /usr/lib/debug
 * @return       a descriptor, or -1
 */
int pm_stack_files_link(int root, const char *path, const char *name, unsigned place);

#endif
