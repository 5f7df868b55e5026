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
	uint64_t entry; /**< address of an entry of the root that is not empty */
};

/** Returns the size in bytes of a leaf, or of a node of another level. */
uint64_t pm_jemalloc_tree_level_bytes(const struct pm_jemalloc_shape *shape, bool leaf);

/** Tests whether a word can point to a leaf or a node: a range of private anonymous memory. */
bool pm_jemalloc_tree_may_point_to(const struct pm_heap_handle *heap, uint64_t word,
                                   uint64_t bytes);

/** Returns the address of the extent to which an entry of a leaf refers; 0 if there is none. */
uint64_t pm_jemalloc_tree_extent(uint64_t entry);

/**
 * Reads the extent to which an entry of a leaf refers.
 *
 * @param bytes  room for PM_JEMALLOC_EXTENT_SIZE bytes
 * @param error  PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return       1; 0 if it refers to something else; -1 on error
 */
int pm_jemalloc_tree_read_extent(struct pm_heap_handle *heap, uint64_t entry, unsigned char *bytes,
                                 struct pm_error *error);

/**
 * Visits an extent.
 *
 * @param context  as passed to pm_jemalloc_tree_walk()
 * @param page     address of the page to which the entry belongs
 * @param extent   the extent; NULL if the entry is not valid
 * @param why      what is not valid, a constant human-readable text; NULL if there is an extent
 * @param error    filled on failure
 * @return         0 to continue, or -1
 */
typedef int pm_jemalloc_visitor(void *context, uint64_t page,
                                const struct pm_jemalloc_extent *extent, const char *why,
                                struct pm_error *error);

/**
 * Visits all extents in ascending address order. Extents that overlap an earlier one are not
 * visited; their entries are reported as not valid. If the tree has more entries than the process
 * has pages, the walk ends, and the place is reported in the same way.
 *
 * @param heap     `source` and `window` are set; `own` receives the structures of jemalloc
 * @param tree     the tree
 * @param visit    called for each extent
 * @param context  passed to `visit`
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED, errors of `visit`
 * @return         0 or -1
 */
int pm_jemalloc_tree_walk(struct pm_heap_handle *heap, const struct pm_jemalloc_tree *tree,
                          pm_jemalloc_visitor *visit, void *context, struct pm_error *error);

#endif
