/* SPDX-License-Identifier: MIT */
/** @file The pools of pymalloc, and which of their blocks are in use. Private. */
#ifndef PM_RUNTIMES_PYTHON_POOLS_H
#define PM_RUNTIMES_PYTHON_POOLS_H

#include <procmem/python_heap.h>

#include "runtimes/python_arenas.h"

/** Maximum number of blocks of a pool. */
enum { PM_PYTHON_BLOCKS_MAX = (PM_PYTHON_POOL_MAX - PM_PYTHON_POOL_HEADER) / 16 };

/** A pool with blocks in use, and its bytes. */
struct pm_python_pool_view {
	uint64_t address;           /**< address of the pool */
	struct pm_python_pool pool; /**< its header, which is valid */
	uint32_t size;              /**< bytes of a block */
	uint32_t blocks;            /**< number of blocks that were ever used */
	bool consistent;            /**< the list of free blocks agrees with the header */
	/** Whether each block is in the list of free blocks */
	bool is_free[PM_PYTHON_BLOCKS_MAX];
	/** The bytes of the pool. Bytes that cannot be read are 0 */
	unsigned char bytes[PM_PYTHON_POOL_MAX];
};

/**
 * Receives a pool with blocks in use.
 * @param closure  from the caller
 * @param view     the pool, valid during the call
 */
typedef void pm_python_pool_visit(void *closure, const struct pm_python_pool_view *view);

/**
 * Counts the blocks of all pools, and visits the pools with blocks in use.
 *
 * @param context  the context
 * @param arenas   the arenas, sorted
 * @param heap     receives all numbers of arenas, pools and blocks; `complete` becomes false if
 *                 something is missing
 * @param visit    called for each pool with blocks in use; may be NULL
 * @param closure  for `visit`
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_python_pools_read(struct pm_runtimes_context *context, const struct pm_python_arenas *arenas,
                         struct pm_python_heap *heap, pm_python_pool_visit *visit, void *closure,
                         struct pm_error *error);

#endif
