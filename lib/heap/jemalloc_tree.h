/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The radix tree in which jemalloc 5 finds the extent of an address. On x86-64, it has two levels,
 * or three if jemalloc was built on a machine with 57-bit addresses. A leaf has an entry for each
 * page. Private.
 */
#ifndef PM_HEAP_JEMALLOC_TREE_H
#define PM_HEAP_JEMALLOC_TREE_H

#include "heap/heap.h"
#include "heap/jemalloc_extent.h"

/** The dimensions of a tree. */
struct pm_jemalloc_shape {
	unsigned levels;     /**< number of levels, with the root and the leaves */
	unsigned bits;       /**< each level has 1 << bits entries */
	unsigned leaf_entry; /**< size of an entry of a leaf in bytes; elsewhere, entries are
	                        pointers */
};

/** A tree. */
struct pm_jemalloc_tree {
	const struct pm_jemalloc_shape *shape;   /**< the dimensions */
	uint64_t root;                           /**< address of the first entry of the root */
	const struct pm_jemalloc_layout *layout; /**< the layout that matches the extents */
};

/**
 * Searches the tree in the data of the mapped programs and libraries. It is found by its structure:
 * each leaf refers to extents whose addresses lead to this leaf, and to the same entry in it.
 *
 * @param heap   `source` and `window` are set
 * @param tree   receives the tree
 * @param error  PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return       1; 0 if there is no tree; -1 on error
 */
int pm_jemalloc_tree_find(struct pm_heap_handle *heap, struct pm_jemalloc_tree *tree,
                          struct pm_error *error);

/**
 * Visits an extent.
 *
 * @param context  as passed to pm_jemalloc_tree_walk()
 * @param page     address of the page to which the entry belongs
 * @param extent   the extent; NULL if an entry of the tree refers to something else
 * @param error    filled on failure
 * @return         0 to continue, or -1
 */
typedef int pm_jemalloc_visitor(void *context, uint64_t page,
                                const struct pm_jemalloc_extent *extent, struct pm_error *error);

/**
 * Visits all extents in ascending address order.
 *
 * @param heap     `source` and `window` are set
 * @param tree     the tree
 * @param visit    called for each extent
 * @param context  passed to `visit`
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED, errors of `visit`
 * @return         0 or -1
 */
int pm_jemalloc_tree_walk(struct pm_heap_handle *heap, const struct pm_jemalloc_tree *tree,
                          pm_jemalloc_visitor *visit, void *context, struct pm_error *error);

#endif
