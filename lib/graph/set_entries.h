/* SPDX-License-Identifier: MIT */
/** @file The words through which roots lead into sets of chunks (procmem/retained.h). Private. */
#ifndef PM_GRAPH_SET_ENTRIES_H
#define PM_GRAPH_SET_ENTRIES_H

#include <procmem/retained.h>

#include "graph/graph.h"

/** Number of bits of a mask: the distinguished roots, and one for all others. */
enum { PM_SET_BITS = PM_RETAINED_SET_ROOTS + 1 };

/** Sets of chunks, and what leads from where to where. */
struct pm_set_entries {
	const struct pm_graph *graph;
	const uint16_t *masks;   /**< for each node, the bits of the roots that reach it */
	const uint16_t *bits;    /**< for each root, its bit */
	const uint32_t *nearest; /**< for each node, 0 or its nearest root + 1 */
	const uint32_t *order;   /**< the nodes that roots reach */
	uint32_t count;          /**< number of elements of `order` */
	const uint16_t *kept;    /**< for each set, the mask of its chunks */
	struct pm_retained_set *sets;
	size_t set_count; /**< number of sets, at most PM_RETAINED_SETS_MAX */
};

/**
 * Finds for each set the root from which the fewest words lead into the set, and the first of these
 * words. Only words whose root has the same level as the nearest root of the chunk count.
 *
 * @param entries  everything is set; `through`, `words`, `from` and `entry` of the sets are filled
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
int pm_set_entries_find(const struct pm_set_entries *entries, struct pm_error *error);

#endif
