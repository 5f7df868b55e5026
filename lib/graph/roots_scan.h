/* SPDX-License-Identifier: MIT */
/** @file The scan of the words of the roots that point to chunks. Private. */
#ifndef PM_GRAPH_ROOTS_SCAN_H
#define PM_GRAPH_ROOTS_SCAN_H

#include "graph/graph.h"

/**
 * Called for each word of a root that points to a chunk in use.
 *
 * @param context  as passed to pm_roots_scan()
 * @param root     index of the root
 * @param target   the node
 * @param address  address of the word; for a register, its number as in pm_roots_register()
 * @return         0 to continue; any other value ends the scan
 */
typedef int pm_root_visitor(void *context, uint32_t root, uint32_t target, uint64_t address);

/**
 * Visits the words of all roots of a level that point to chunks in use.
 *
 * @param level  enum pm_root_level; 0 means all levels
 * @param error  PM_ERROR_CANCELLED
 * @return       0; the value with which `visit` ended the scan; or -1 with `error`
 */
int pm_roots_scan(const struct pm_graph *graph, unsigned level, pm_root_visitor *visit,
                  void *context, struct pm_error *error);

#endif
