/* SPDX-License-Identifier: MIT */
/** @file Existing files whose names end in " (deleted)". Private. */
#ifndef PM_REGION_DELETED_H
#define PM_REGION_DELETED_H

#include <stddef.h>

#include <procmem/process.h>
#include <procmem/region.h>

/**
 * Restores the names of existing files that end in " (deleted)". The kernel appends this to the
 * name of a mapped file that was unlinked, so the text alone is ambiguous. The complete name is
 * looked up below the root of the process: if a file with the same inode exists, the region gets
 * this name.
 *
 * @param process  the living process
 * @param regions  its regions
 * @param first    index of the first region to check
 */
void pm_deleted_resolve(struct pm_process *process, struct pm_regions *regions, size_t first);

#endif
