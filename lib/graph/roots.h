/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The roots of a graph: which memory outside of malloc is searched, which words of it point to
 * chunks, and to what the words belong. Private.
 */
#ifndef PM_GRAPH_ROOTS_H
#define PM_GRAPH_ROOTS_H

#include "graph/graph.h"

/**
 * Finds all roots. The nodes of the graph are known.
 * @return 0, or -1 with PM_ERROR_RESOURCES or PM_ERROR_CANCELLED
 */
int pm_roots_find(struct pm_graph *graph, struct pm_error *error);

/** Releases everything that belongs to the roots of a graph. */
void pm_roots_deinit(struct pm_graph *graph);

/**
 * Finds the root to which an address outside of malloc belongs, and adds it if it is new.
 *
 * @param address  an address in `memory` of the graph
 * @param root     receives the index of the root
 * @param range    receives addresses around `address` that belong to the same root
 * @return         0, or -1 with PM_ERROR_RESOURCES
 */
int pm_roots_at(struct pm_graph *graph, uint64_t address, uint32_t *root, struct pm_range *range,
                struct pm_error *error);

/**
 * Returns the root for the registers of a thread, and adds it if it is new.
 *
 * @param thread  index of the thread in pm_copy_threads()
 * @param root    receives the index of the root
 * @return        0, or -1 with PM_ERROR_RESOURCES
 */
int pm_roots_registers(struct pm_graph *graph, size_t thread, uint32_t *root,
                       struct pm_error *error);

/**
 * Called for each word of a root that points to a chunk in use.
 *
 * @param context  as passed to pm_roots_scan()
 * @param root     index of the root
 * @param target   the node
 * @param address  address of the word; for a register, its position
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
