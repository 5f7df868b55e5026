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
	uint16_t memory;         /**< the bits of other memory (PM_ROOT_ANONYMOUS) */
	const uint32_t *nearest; /**< for each node, 0 or its nearest root + 1 */
	const uint32_t *order;   /**< the nodes that roots reach */
	uint32_t count;          /**< number of elements of `order` */
	const uint16_t *kept;    /**< for each set, the mask of its chunks */
	struct pm_retained_set *sets;
	size_t set_count; /**< number of sets, at most PM_RETAINED_SETS_MAX */
};

/**
 * Returns the bits that a pointer passes on.
 *
 * @param mask    the bits of the roots that reach the word
 * @param from    the level of the root, or of the nearest root of the chunk, that has the word
 * @param to      the level of the nearest root of the chunk to which the word points
 * @param memory  the bits of other memory
 * @return        `mask` if both levels are equal; its bits of other memory if the pointer leads
 *                from PM_LEVEL_OTHER to PM_LEVEL_STACKS; otherwise 0
 */
static inline uint16_t pm_set_passed(uint16_t mask, unsigned from, unsigned to, uint16_t memory)
{
	if (from == to)
		return mask;
	return from == PM_LEVEL_OTHER && to == PM_LEVEL_STACKS ? mask & memory : 0;
}

/**
 * Counts for each set the words that lead from each of its roots into the set. Only words that pass
 * the bit of the root on count.
 *
 * @param entries  everything is set; `entries` and `other_entry` of the sets are filled
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
int pm_set_entries_find(const struct pm_set_entries *entries, struct pm_error *error);

#endif
