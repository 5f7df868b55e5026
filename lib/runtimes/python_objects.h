/* SPDX-License-Identifier: MIT */
/** @file Counts the objects in pools of pymalloc by their types. Private. */
#ifndef PM_RUNTIMES_PYTHON_OBJECTS_H
#define PM_RUNTIMES_PYTHON_OBJECTS_H

#include "runtimes/python_pools.h"
#include "runtimes/python_types.h"

/** The objects that were counted. */
struct pm_python_objects {
	struct pm_runtimes_context *context; /**< the context */
	struct pm_python_types types;        /**< the types, and the numbers of their objects */
	uint64_t other;                      /**< number of blocks in use that are not objects */
	uint64_t other_bytes;                /**< bytes of these blocks */
	uint64_t hooked;                     /**< number of blocks with the debug hooks */
};

/** Counts the objects of a pool. The closure is a struct pm_python_objects. */
pm_python_pool_visit pm_python_objects_count;

/**
 * Copies the types that have objects: each name once, by descending bytes.
 *
 * @param objects  the objects
 * @param heap     receives the types
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_python_objects_list(const struct pm_python_objects *objects, struct pm_python_heap *heap,
                           struct pm_error *error);

#endif
