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
 * Returns the number of registers of a thread: the general registers, and the words of the vector
 * registers. 0 if they are not known.
 */
size_t pm_roots_register_count(const struct pm_copy_thread *thread);

/**
 * Returns the value of a register of a thread.
 * @param number  less than pm_roots_register_count(). The first PM_COPY_REGISTERS are those of
 *                pm_copy_thread.registers
 */
uint64_t pm_roots_register(const struct pm_copy_thread *thread, size_t number);

/**
 * Returns the root for the registers of a thread, and adds it if it is new.
 *
 * @param thread  index of the thread in pm_copy_threads()
 * @param root    receives the index of the root
 * @return        0, or -1 with PM_ERROR_RESOURCES
 */
int pm_roots_registers(struct pm_graph *graph, size_t thread, uint32_t *root,
                       struct pm_error *error);

#endif
