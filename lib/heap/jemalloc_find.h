/* SPDX-License-Identifier: MIT */
/** @file Searches the radix tree of jemalloc. Private. */
#ifndef PM_HEAP_JEMALLOC_FIND_H
#define PM_HEAP_JEMALLOC_FIND_H

#include "heap/jemalloc_tree.h"

/**
 * Searches the tree in the data of the mapped programs and libraries. It is found by its structure:
 * each leaf refers to extents whose addresses lead to this leaf, and to the same entry in it. The
 * search reads at most 4 GiB of the target. If pm_heap_source.hint says that an earlier search
 * found nothing, there is no search; if it found a tree, its place is tried first.
 *
 * @param heap   `source` and `window` are set
 * @param tree   receives the tree
 * @param error  PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return       1; 0 if there is no tree; -1 on error
 */
int pm_jemalloc_find(struct pm_heap_handle *heap, struct pm_jemalloc_tree *tree,
                     struct pm_error *error);

#endif
