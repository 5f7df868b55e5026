/* SPDX-License-Identifier: MIT */
/** @file Files whose real name ends in " (deleted)". Private. */
#ifndef PM_REGION_DELETED_H
#define PM_REGION_DELETED_H

#include <stddef.h>

#include <procmem/process.h>
#include <procmem/region.h>

/**
 * The kernel appends " (deleted)" to the name of a mapped file that was unlinked; the text alone
 * cannot tell it from a file of such a name. For a living process the file is looked up below its
 * root: if one of the whole name and the same inode is there, the name is given back its ending.
 *
 * @param process  the process
 * @param regions  its regions
 * @param first    index of the first region to look at
 */
void pm_deleted_resolve(struct pm_process *process, struct pm_regions *regions, size_t first);

#endif
