/* SPDX-License-Identifier: MIT */
/**
 * @file
 * PartitionAlloc, the malloc of Chromium: memory consists of super pages of 2 MiB. A page of
 * metadata describes each of them. Private.
 */
#ifndef PM_RUNTIMES_PARTITION_ALLOC_H
#define PM_RUNTIMES_PARTITION_ALLOC_H

#include "runtimes/context.h"

/**
 * Finds the super pages, and adds their memory: as proven if the metadata and the super page
 * confirm each other, as inferred if only the guard pages are those of a super page.
 *
 * @param context  the context
 * @param error    PM_ERROR_RESOURCES
 * @return         the number of super pages that were confirmed; -1 on error
 */
long pm_partition_alloc_read(struct pm_runtimes_context *context, struct pm_error *error);

#endif
