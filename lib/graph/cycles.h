/* SPDX-License-Identifier: MIT */
/** @file Cycles of nodes that no other node points to. Private. */
#ifndef PM_GRAPH_CYCLES_H
#define PM_GRAPH_CYCLES_H

#include "graph/graph.h"

/**
 * Chooses as few nodes of a set as possible from which all nodes of the set are reachable. Edges to
 * and from nodes outside of the set are ignored.
 *
 * @param set     bitmap of the set
 * @param chosen  bitmap of zeros; receives the chosen nodes
 * @param count   receives the number of chosen nodes
 * @return        0, or -1 with PM_ERROR_RESOURCES or PM_ERROR_CANCELLED
 */
int pm_cycles_choose(const struct pm_graph *graph, const uint64_t *set, uint64_t *chosen,
                     uint64_t *count, struct pm_error *error);

#endif
