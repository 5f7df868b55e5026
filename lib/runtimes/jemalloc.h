/* SPDX-License-Identifier: MIT */
/** @file Memory of jemalloc, by its structures (heap/jemalloc_tree.h). Private. */
#ifndef PM_RUNTIMES_JEMALLOC_H
#define PM_RUNTIMES_JEMALLOC_H

#include "runtimes/context.h"

/** What was found. */
struct pm_runtime_jemalloc {
	const char *versions; /**< such as "5.3" */
	bool complete;        /**< all extents were read */
	uint64_t extents;     /**< number of extents */
	uint64_t damaged;     /**< number of entries without a valid extent */
};

/**
 * Searches for jemalloc, and adds its extents, also unused and retained ones, and its own data.
 *
 * @param context  the context
 * @param found    receives what was found
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         1; 0 if its structures are not in the process; -1 on error
 */
int pm_runtime_jemalloc_read(struct pm_runtimes_context *context, struct pm_runtime_jemalloc *found,
                             struct pm_error *error);

#endif
